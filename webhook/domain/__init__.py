"""Values and arithmetic of alignment: the standard library only, no clock, files, network or logging."""
