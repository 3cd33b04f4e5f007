"""What is installed on a cluster, rendered from the policy and the code's own registries."""
