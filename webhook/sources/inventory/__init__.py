"""Node classes out of what a cluster says about its nodes: reduced, merged by precedence, grouped and counted."""
