"""What `numagate verify` shows: promise and observation side by side."""
