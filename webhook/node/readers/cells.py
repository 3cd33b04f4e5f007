"""Reads the NUMA nodes of sysfs: CPUs by core, socket and L3 cache, memory, huge pages and distances.

What cAdvisor tells the kubelet (lib/utils/sysinfo) is told here: offline CPUs are left out, and an L3 cache counts as
split where its CPUs are not all of the NUMA node's.
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Final

from webhook.domain import cpuset
from webhook.domain.topology import Cell
from webhook.domain.topology import Core
from webhook.node.readers import files
from webhook.node.readers.files import Gaps

MAX_CELL: Final = 1023
"""The highest NUMA node id: Linux is built for at most 1024."""

_CELL: Final = re.compile(r"node([0-9]{1,4})")
_PAGES: Final = re.compile(r"hugepages-([0-9]{1,10})kB")
_TOTAL: Final = re.compile(r"MemTotal:\s*([0-9]{1,15}) kB")
_UNITS: Final = ((1 << 20, "Gi"), (1 << 10, "Mi"), (1, "Ki"))
_KIB: Final = 1 << 10
_L3: Final = 3
_INDEXES: Final = 8


def read_cells(system: Path, proc: Path, gaps: Gaps) -> tuple[tuple[Cell, ...], int]:
    """Answer the NUMA nodes, ascending, and the bit set of the CPUs that are online.

    A kernel without NUMA has one NUMA node for the kubelet, and so here. Where it cannot be read which NUMA nodes there
    are, or which CPUs one has, there are none: part of a machine would be taken for another.
    """
    devices = system / "devices" / "system"
    online = gaps.take("online", partial(files.id_set, devices / "cpu" / "online")) or 0
    found = gaps.take("cells", lambda: sorted(_folders(devices / "node")))
    if found is None or not online:
        return (), online
    cpus = gaps.take("cells", lambda: {number: files.id_set(folder / "cpulist") for number, folder in found})
    if cpus is None:
        return (), online
    reader = _Reader(devices / "cpu", online, gaps)
    if not found:
        memory = gaps.take("cells", partial(_memory, proc / "meminfo")) or 0
        return _numbered((Cell(id=0, memory=memory, cores=reader.cores(online)),)), online
    return _numbered(tuple(_cell(number, folder, reader.cores(cpus[number]), gaps) for number, folder in found)), online


def memory_total(proc: Path) -> int:
    """Answer the memory of the whole machine in bytes, of which the kubelet takes percentages.

    Raises:
        OSError: it cannot be read.
        ValueError: it is not said.
    """
    return _memory(proc / "meminfo")


def _folders(parent: Path) -> Iterator[tuple[int, Path]]:
    try:
        names = [entry.name for entry in parent.iterdir()]
    except FileNotFoundError:  # a kernel without NUMA
        return
    for name in names:
        found = _CELL.fullmatch(name)
        if found and int(found[1]) <= MAX_CELL:
            yield int(found[1]), parent / name


def _cell(number: int, folder: Path, cores: tuple[Core, ...], gaps: Gaps) -> Cell:
    return Cell(
        id=number,
        memory=gaps.take("cells", partial(_memory, folder / "meminfo")) or 0,
        cores=cores,
        hugepages=MappingProxyType(dict(_huge_pages(folder / "hugepages", gaps))),
        distances=gaps.take("cells", partial(_distances, folder / "distance")) or (),
    )


def _numbered(cells: tuple[Cell, ...]) -> tuple[Cell, ...]:
    """Number the sockets 0, 1, 2 in their order: firmware numbers them as it likes, even 36 and 5418."""
    known = sorted({core.socket for cell in cells for core in cell.cores})
    numbers = {socket: number for number, socket in enumerate(known)}
    return tuple(
        replace(cell, cores=tuple(replace(core, socket=numbers[core.socket]) for core in cell.cores)) for cell in cells
    )


def _memory(path: Path) -> int:
    found = _TOTAL.search(files.text(path))
    if found is None:
        message = f"{path} has no MemTotal"
        raise ValueError(message)
    return int(found[1]) * _KIB


def _distances(path: Path) -> tuple[int, ...]:
    words = files.text(path).split()
    if not all(word.isascii() and word.isdigit() and len(word) <= 3 for word in words):  # noqa: PLR2004 - at most 255
        message = f"{path} is no list of distances"
        raise ValueError(message)
    return tuple(map(int, words))


def _huge_pages(folder: Path, gaps: Gaps) -> Iterator[tuple[str, int]]:
    try:
        names = sorted(entry.name for entry in folder.iterdir())
    except OSError:  # a kernel without huge pages
        return
    for name in names:
        size = _PAGES.fullmatch(name)
        if size:
            pages = gaps.take("cells", partial(files.number, folder / name / "nr_hugepages"))
            if pages:
                yield _page_size(int(size[1])), pages


def _page_size(kib: int) -> str:
    """Write a size as Kubernetes names the resource.

    >>> _page_size(2048), _page_size(524288), _page_size(1048576)
    ('2Mi', '512Mi', '1Gi')
    """
    unit, suffix = next((unit, suffix) for unit, suffix in _UNITS if kib % unit == 0)
    return f"{kib // unit}{suffix}"


class _Reader:
    """Reads the cores of one NUMA node after the other; caches that span several are looked up once."""

    def __init__(self, folder: Path, online: int, gaps: Gaps) -> None:
        self._folder = folder
        self._online = online
        self._gaps = gaps
        self._caches: dict[int, tuple[int, int]] = {}

    def cores(self, cpus: int) -> tuple[Core, ...]:
        """Answer the cores of a NUMA node in the order of their first CPUs."""
        found: list[Core] = []
        left = within = cpus & self._online
        while left:
            cpu = (left & -left).bit_length() - 1
            threads = (self._siblings(cpu) | 1 << cpu) & within
            left &= ~threads
            cache = self._cache(cpu)
            split = cache is not None and cache[0].bit_count() != within.bit_count()
            found.append(Core(cpuset.ids(threads), self._socket(cpu), cache[1] if cache and split else None))
        return tuple(found)

    def _siblings(self, cpu: int) -> int:
        topology = self._folder / f"cpu{cpu}" / "topology"
        try:
            return files.id_set(topology / "core_cpus_list")
        except (OSError, ValueError):  # before Linux 5.1
            return self._gaps.take("cells", partial(files.id_set, topology / "thread_siblings_list")) or 0

    def _socket(self, cpu: int) -> int:
        path = self._folder / f"cpu{cpu}" / "topology" / "physical_package_id"
        return max(self._gaps.take("cells", partial(files.number, path)) or 0, 0)

    def _cache(self, cpu: int) -> tuple[int, int] | None:
        """Answer the CPUs and the id of a CPU's L3 cache; many machines in a cloud show none."""
        if cpu not in self._caches:
            try:
                found = self._l3(self._folder / f"cpu{cpu}" / "cache")
            except (OSError, ValueError):
                found = None
            if found is None:
                return None
            self._caches.update(dict.fromkeys(cpuset.ids(found[0]), found))
            self._caches[cpu] = found
        return self._caches[cpu]

    def _l3(self, folder: Path) -> tuple[int, int] | None:
        for index in range(_INDEXES - 1, -1, -1):
            cache = folder / f"index{index}"
            try:
                level = files.number(cache / "level")
            except OSError:
                continue
            if level < _L3:
                return None
            if level == _L3:
                cpus = files.id_set(cache / "shared_cpu_list") & self._online
                try:
                    return cpus, files.number(cache / "id")
                except OSError:  # some kernels number no caches
                    return cpus, (cpus & -cpus).bit_length() - 1
        return None
