"""What `numagate kubelet` does, one part a module."""
