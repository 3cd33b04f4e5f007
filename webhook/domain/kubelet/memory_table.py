"""What each NUMA node has of memory and huge pages, as the memory manager counts it (MM/policy_static.go)."""

from collections.abc import Mapping
from dataclasses import dataclass

from webhook.domain.quantity import Quantity
from webhook.domain.resources import HUGEPAGES_PREFIX
from webhook.domain.resources import MEMORY
from webhook.domain.topology import Cell


@dataclass(frozen=True, slots=True)
class MemoryTable:
    """Allocatable bytes by resource, then by NUMA node id.

    A NUMA node has a row for the page sizes that it lists, zero pages included. `overdrawn` is a NUMA node with more
    reserved than it has, where the kubelet's unsigned numbers wrap around. `skips_none` is a manager that does nothing
    for a container without memory to pin (see `versions.Rules.passes_over_no_memory`).
    """

    cells: tuple[int, ...]
    allocatable: Mapping[str, Mapping[int, int]]
    overdrawn: int | None
    skips_none: bool = True


def table(
    cells: tuple[Cell, ...], reserved: Mapping[int, Mapping[str, int]], *, skips_none: bool = True
) -> MemoryTable:
    """Mirror MM/policy_static.go:getDefaultMachineState."""
    allocatable: dict[str, dict[int, int]] = {MEMORY: {}}
    for cell in cells:
        held = reserved.get(cell.id, {})
        pages = hugepage_bytes(cell)
        for name, size in pages.items():
            allocatable.setdefault(name, {})[cell.id] = size - held.get(name, 0)
        allocatable[MEMORY][cell.id] = cell.memory - held.get(MEMORY, 0) - sum(pages.values())
    overdrawn = next((cell.id for cell in cells if any(row.get(cell.id, 0) < 0 for row in allocatable.values())), None)
    return MemoryTable(tuple(sorted(cell.id for cell in cells)), allocatable, overdrawn, skips_none)


def hugepage_bytes(cell: Cell) -> dict[str, int]:
    """Answer the cell's huge pages in bytes by resource name; sizes are written canonically ("hugepages-2Mi")."""
    found: dict[str, int] = {}
    for written, number in cell.hugepages.items():
        size = Quantity.parse(written).value
        name = HUGEPAGES_PREFIX + str(Quantity.of_bytes(size))
        found[name] = found.get(name, 0) + number * size
    return found


def is_memory(resource: str) -> bool:
    """Tell whether the memory manager counts the resource: memory and huge pages of any size."""
    return resource == MEMORY or resource.startswith(HUGEPAGES_PREFIX)
