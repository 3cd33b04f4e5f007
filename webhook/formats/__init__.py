"""One output format per file; each module exports FORMAT."""
