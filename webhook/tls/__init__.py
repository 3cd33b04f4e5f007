"""Certificates: issuing, inspecting, serving, swapping."""
