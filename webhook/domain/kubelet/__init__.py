"""The kubelet's managers, simulated: one manager per file."""
