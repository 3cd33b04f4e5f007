"""What `numagate topology` reads and shows."""
