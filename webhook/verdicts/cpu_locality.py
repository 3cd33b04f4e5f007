"""The CPUs of each container lie on as many NUMA nodes as promised, at most, and on those of its devices."""

from collections.abc import Iterator

from webhook.domain import cpuset
from webhook.domain.locality import cpus_of
from webhook.domain.locality import device_cells
from webhook.domain.locality import nodes
from webhook.domain.locality import told
from webhook.domain.locality import why_no_cells
from webhook.domain.rule import Case
from webhook.domain.rule import Rule
from webhook.domain.rule import Said
from webhook.domain.rule import aligned
from webhook.domain.rule import misaligned
from webhook.domain.rule import unknown


def _look(case: Case) -> Iterator[Said]:
    if not case.promise.cpus:
        return
    wanted = f"CPUs on {nodes(case.numa_nodes)}" + (", with its devices" if case.promise.devices else "")
    cpus = cpus_of(case.seen)
    cells = case.site.machine.cells_of(cpus) if cpus is not None else 0
    if case.seen.exclusive_cpus is None:
        yield unknown("which CPUs are its own is not known", wanted)
    elif cpus is None:
        yield unknown("it has no exclusive CPUs whose place could be told", wanted, "in the shared pool")
    elif why := why_no_cells(case.site.machine):
        yield unknown(why, wanted, cpuset.format(cpus))
    else:
        yield _placed(case, cpus, cells, wanted)


def _placed(case: Case, cpus: int, cells: int, wanted: str) -> Said:
    seen = f"{cpuset.format(cpus)} on {told(cells)}"
    if cells.bit_count() > case.numa_nodes:
        return misaligned(f"its CPUs are on {told(cells)}, promised {nodes(case.numa_nodes)}", wanted, seen)
    devices = device_cells(case)
    if devices is not None and devices.bit_count() <= case.numa_nodes and not _together(case, cells, devices):
        return misaligned(f"its CPUs are on {told(cells)}, its devices on {told(devices)}", wanted, seen)
    if lost := _of_no_cell(case, cpus):
        return unknown(f"no NUMA node is known to have CPUs {cpuset.format(lost)}", wanted, seen)
    if devices is None and case.promise.devices:
        return unknown(f"its CPUs are on {told(cells)}, but of its devices the NUMA node is not known", wanted, seen)
    return aligned(wanted, seen)


def _of_no_cell(case: Case, cpus: int) -> int:
    """Answer the CPUs that are on none of the NUMA nodes that the machine shows."""
    for cell in case.site.machine.cells:
        cpus &= ~cell.cpus
    return cpus


def _together(case: Case, cells: int, devices: int) -> bool:
    """Tell whether CPUs and devices share their NUMA nodes, of which there may be as many as promised."""
    return (cells | devices).bit_count() <= case.numa_nodes


RULE = Rule(
    code="cpu-locality",
    rank=30,
    promise="A container's exclusive CPUs lie on as many NUMA nodes as promised, at most, and on those of its devices.",
    of_container=_look,
)
