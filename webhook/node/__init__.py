"""What runs on a node: what is seen there, and what is told about it."""
