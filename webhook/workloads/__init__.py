"""One kind per file: where its pod templates live; each module exports WORKLOAD."""
