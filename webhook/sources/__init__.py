"""Where policies and topology come from, one source per file."""
