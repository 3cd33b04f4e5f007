"""Sources of topology: one file each, which makes a partial NodeProfile spec of what one kind of object says."""
