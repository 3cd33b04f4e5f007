"""What is asked of a KubeletConfiguration, one question a file."""
