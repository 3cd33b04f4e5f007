"""A KubeletConfiguration, judged before a kubelet reads it: whether it starts, and whether it aligns pods."""
