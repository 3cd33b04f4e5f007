"""One rule per file, named after the violation; each module exports CHECK."""
