"""Reads sizes off raw profile specs, and says in a few words what a field of one is."""

from webhook.config.amounts import read_bytes
from webhook.config.amounts import read_cpu_list
from webhook.domain.quantity import Quantity
from webhook.domain.raw import JsonObject
from webhook.domain.raw import as_object
from webhook.domain.raw import get_list
from webhook.domain.raw import get_text
from webhook.sources.evidence import NOWHERE

_READABLE = 6
"""More digits than this are bytes."""
_NEAR = 8
"""Sizes of memory that differ by less than one part in so many are not told apart."""


def cell_cpus(block: object) -> int:
    """Count the logical CPUs of a member of `numa`, whichever way they are written; 0 for what cannot be read."""
    cell = as_object(block)
    count = cell.get("coreCount")
    if isinstance(count, int):
        threads = cell.get("threadsPerCore")
        return count * (threads if isinstance(threads, int) else 1)
    if "cores" in cell:
        return sum(len(get_list(core, "threads")) for core in get_list(cell, "cores"))
    try:
        return len(read_cpu_list(get_text(cell, "cpus")))
    except ValueError:
        return 0


def cell_memory(block: object) -> int:
    """Answer the bytes of a member of `numa`; 0 for what cannot be read."""
    try:
        return read_bytes(as_object(block).get("memory"))
    except ValueError:
        return 0


def cell_ids(numa: object) -> tuple[int, ...]:
    """Answer the ids of the NUMA nodes in a `numa`."""
    blocks = numa if isinstance(numa, list) else []
    ids = (as_object(block).get("id") for block in blocks)
    return tuple(number for number in ids if isinstance(number, int))


def device_counts(value: object) -> dict[str, int]:
    """Count devices by the id of their NUMA node; those of none, or of several, go by "-1"."""
    if isinstance(value, list):
        counts: dict[str, int] = {}
        for device in map(as_object, value):
            homes = device.get("numa")
            home = str(homes[0]) if isinstance(homes, list) and len(homes) == 1 else NOWHERE
            counts[home] = counts.get(home, 0) + 1
        return counts
    return {key: count for key, count in as_object(value).items() if isinstance(count, int) and count}


def describe(field: str, value: object) -> str:
    """Say in a few words what a field holds: `2 x (96 CPUs, 1008Gi)`, `4+4`, `static`."""
    if field == "numa" and isinstance(value, list):
        return _cells(value)
    if field.startswith("devices."):
        return _devices(device_counts(value))
    if field == "taints" and isinstance(value, list):
        return ", ".join(map(_taint, value)) or "none"
    if field == "kubelet.reservedMemory" and isinstance(value, list):
        return "; ".join(
            f"NUMA node {as_object(one).get('numaNode')}: {_amounts(as_object(one).get('limits'))}" for one in value
        )
    return _amounts(value) if isinstance(value, dict) else str(value)


def is_same(field: str, one: object, other: object) -> bool:
    """Tell whether two values of a field mean the same; a little memory more or less is no difference."""
    if field == "numa" and isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(_is_same_cell(a, b) for a, b in zip(one, other, strict=True))
    if field.startswith("devices."):
        counts, others = device_counts(one), device_counts(other)
        if NOWHERE in counts or NOWHERE in others:
            return sum(counts.values()) == sum(others.values())
        return counts == others
    return one == other


def _amounts(block: object) -> str:
    """Write a map of settings; numbers of bytes, which nobody can read, as the size they are."""
    members = sorted(as_object(block).items())
    return ", ".join(f"{key}={_amount(member)}" for key, member in members) or "none"


def _amount(value: object) -> str:
    text = str(value)
    return size(int(text)) if text.isdigit() and len(text) > _READABLE else text


def _is_same_cell(one: object, other: object) -> bool:
    if as_object(one).get("id") != as_object(other).get("id") or cell_cpus(one) != cell_cpus(other):
        return False
    sizes = sorted((cell_memory(one), cell_memory(other)))
    return (sizes[1] - sizes[0]) * _NEAR <= sizes[1]


def _cells(blocks: list[object]) -> str:
    shapes: list[tuple[str, int]] = []
    for block in blocks:
        shape = f"({cell_cpus(block)} CPUs, {size(cell_memory(block))})"
        if shapes and shapes[-1][0] == shape:
            shapes[-1] = (shape, shapes[-1][1] + 1)
        else:
            shapes.append((shape, 1))
    return " + ".join(f"{times} x {shape}" for shape, times in shapes)


def size(amount: int) -> str:
    """Write bytes as whole GiB where that is no less than a third of the truth, else exactly."""
    gib = amount >> 30
    return f"{gib}Gi" if gib > 2 else str(Quantity.of_bytes(amount))  # noqa: PLR2004 - a third, as said


def _devices(counts: dict[str, int]) -> str:
    placed = sorted((int(cell), count) for cell, count in counts.items() if cell != NOWHERE)
    shown = "+".join(str(dict(placed).get(cell, 0)) for cell in range(placed[-1][0] + 1)) if placed else ""
    elsewhere = counts.get(NOWHERE, 0)
    return " and ".join(part for part in (shown, f"{elsewhere} unplaced" if elsewhere else "") if part) or "0"


def _taint(taint: object) -> str:
    one: JsonObject = as_object(taint)
    return f"{get_text(one, 'key')}={get_text(one, 'value')}:{get_text(one, 'effect')}"
