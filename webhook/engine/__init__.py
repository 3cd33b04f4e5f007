"""Decides: from a request and the world to a decision, without I/O."""
