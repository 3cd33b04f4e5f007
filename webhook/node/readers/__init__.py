"""One reader for each thing that a node shows; each is given where to look."""
