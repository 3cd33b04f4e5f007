"""Reads how many NUMA nodes a pod asks for."""

from collections.abc import Mapping

from webhook.domain import keys

MAXIMUM = 64
"""The kubelet's bit masks hold 64 NUMA nodes (TM/bitmask/bitmask.go)."""


def parse(text: str) -> int | None:
    """Read the annotation's value; None where it is no whole number from 1 to `MAXIMUM`."""
    if not (text.isascii() and text.isdigit() and len(text) <= 2):  # noqa: PLR2004 - two digits hold the maximum
        return None
    number = int(text)
    return number if 1 <= number <= MAXIMUM else None


def asked_for(annotations: Mapping[str, str]) -> int:
    """Answer the number of NUMA nodes that the pod asks for: one where it says nothing readable."""
    return parse(annotations.get(keys.NUMA_NODES, "1")) or 1
