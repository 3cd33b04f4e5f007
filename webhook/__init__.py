"""Decides at admission time whether an inference pod can be aligned to one NUMA node."""

__version__ = "0.1.0"
