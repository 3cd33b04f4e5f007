"""The rules of the verdict: one module each, which exports `RULE`."""
