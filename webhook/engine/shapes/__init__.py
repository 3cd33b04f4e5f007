"""Kinds of edit that make a pod fit: one kind a file, tried in the order of their rank (see `suggest`)."""
