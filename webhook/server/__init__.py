"""The TLS service that the API server calls."""
