"""What the outputs of `explain` and `verify` share: lines for a terminal, tags for a page, a machine drawn in both."""
