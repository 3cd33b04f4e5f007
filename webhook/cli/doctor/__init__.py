"""`numagate doctor`: what an installation is like, and what to do about it."""
