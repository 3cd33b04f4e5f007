"""The API server: the only door to the `kubernetes` package."""
