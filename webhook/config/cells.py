"""Turns the `numa` list of a profile into cells, whichever of the three ways their CPUs are written in."""

from collections.abc import Iterator
from types import MappingProxyType

from webhook.config.amounts import MAX_CPU
from webhook.config.amounts import read_bytes
from webhook.config.amounts import read_cpu_list
from webhook.config.document import Document
from webhook.domain.pointer import Path
from webhook.domain.raw import JsonObject
from webhook.domain.raw import as_object
from webhook.domain.raw import get_list
from webhook.domain.raw import get_object
from webhook.domain.raw import get_text
from webhook.domain.topology import Cell
from webhook.domain.topology import Core

_NUMA: Path = ("spec", "numa")


def to_cells(document: Document, blocks: list[object]) -> tuple[Cell, ...]:
    """Read the cells in the order they are written.

    Raises:
        PolicyError: two cells share an id or a CPU, or a cell's own numbers contradict each other.
    """
    cells = tuple(
        _cell(document, as_object(block), _cores(document, blocks, index), index) for index, block in enumerate(blocks)
    )
    _check_ids(document, cells)
    _check_cpus(document, cells)
    return cells


def integer(block: object, key: str, default: int) -> int:
    """Answer the whole number under `key`, or `default`."""
    value = as_object(block).get(key)
    return value if isinstance(value, int) else default


def _cell(document: Document, block: JsonObject, cores: tuple[Core, ...], index: int) -> Cell:
    pages = {size: integer(block["hugepages"], size, 0) for size in get_object(block, "hugepages")}
    cell = Cell(
        id=integer(block, "id", 0),
        memory=read_bytes(block.get("memory")),
        cores=cores,
        hugepages=MappingProxyType(pages),
        distances=tuple(value for value in get_list(block, "distances") if isinstance(value, int)),
    )
    huge = sum(read_bytes(size) * count for size, count in pages.items())
    if huge > cell.memory:
        message = f"huge pages of {huge} bytes are more than the memory of {cell.memory} bytes, which includes them"
        raise document.error((*_NUMA, index, "hugepages"), message)
    return cell


def _cores(document: Document, blocks: list[object], index: int) -> tuple[Core, ...]:
    block = as_object(blocks[index])
    socket = integer(block, "socket", integer(block, "id", 0))
    if "cpus" in block:
        cpus = read_cpu_list(get_text(block, "cpus"))
        return _paired(document, cpus, integer(block, "threadsPerCore", 1), socket, index)
    if "coreCount" in block:
        return _counted(document, blocks, index, socket)
    return tuple(
        Core(
            threads=tuple(thread for thread in get_list(core, "threads") if isinstance(thread, int)),
            socket=integer(core, "socket", socket),
            uncore=integer(core, "uncore", 0) if "uncore" in as_object(core) else None,
        )
        for core in get_list(block, "cores")
    )


def _paired(document: Document, cpus: tuple[int, ...], threads: int, socket: int, index: int) -> tuple[Core, ...]:
    """Make cores of a CPU list: with n CPUs and T threads, positions k, k + n/T, … are siblings."""
    if len(cpus) % threads:
        message = f"{len(cpus)} CPUs do not divide into cores of {threads} threads: check the list and threadsPerCore"
        raise document.error((*_NUMA, index, "cpus"), message)
    step = len(cpus) // threads
    return tuple(Core(threads=cpus[k::step], socket=socket) for k in range(step))


def _counted(document: Document, blocks: list[object], index: int, socket: int) -> tuple[Core, ...]:
    """Number CPUs as Linux does: the first threads of all cells in order, then the second threads."""
    counts = [integer(block, "coreCount", 0) for block in blocks]
    threads = integer(blocks[index], "threadsPerCore", 1)
    mixed = any(
        key in as_object(block) or integer(block, "threadsPerCore", threads) != threads
        for block in blocks
        for key in ("cpus", "cores")
    )
    if mixed:
        message = "CPU ids can only be counted if every NUMA node with CPUs has coreCount and the same threadsPerCore"
        raise document.error((*_NUMA, index, "coreCount"), message)
    total = sum(counts)
    if total * threads > MAX_CPU:
        message = f"{total * threads} CPUs are too many: at most {MAX_CPU}"
        raise document.error((*_NUMA, index, "coreCount"), message)
    first = sum(counts[:index])
    return tuple(
        Core(threads=tuple(range(core, total * threads, total)), socket=socket)
        for core in range(first, first + counts[index])
    )


def _check_ids(document: Document, cells: tuple[Cell, ...]) -> None:
    seen: set[int] = set()
    known = {len(cells), 1 + max(cell.id for cell in cells)} if cells else set()
    for index, cell in enumerate(cells):
        if cell.id in seen:
            message = f"NUMA node {cell.id} is written twice: give each its own id"
            raise document.error((*_NUMA, index, "id"), message)
        seen.add(cell.id)
        if cell.distances and len(cell.distances) not in known:
            message = f"{len(cell.distances)} distances for {len(cells)} NUMA nodes: write one for each, in their order"
            raise document.error((*_NUMA, index, "distances"), message)


def _check_cpus(document: Document, cells: tuple[Cell, ...]) -> None:
    owner: dict[int, int] = {}
    for index, thread in _threads(cells):
        if thread in owner:
            first, second = cells[owner[thread]].id, cells[index].id
            place = f"twice in NUMA node {first}" if first == second else f"in NUMA nodes {first} and {second}"
            message = f"CPU {thread} is {place}: it belongs to one core of one NUMA node"
            raise document.error((*_NUMA, index), message)
        owner[thread] = index


def _threads(cells: tuple[Cell, ...]) -> Iterator[tuple[int, int]]:
    for index, cell in enumerate(cells):
        for core in cell.cores:
            for thread in core.threads:
                yield index, thread
