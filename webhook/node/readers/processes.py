"""Finds the processes of containers in /proc, and reads each while it is known to be theirs."""

import os
from collections.abc import Callable
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from webhook.domain.observation import ObservedProcess
from webhook.node.readers import files
from webhook.node.readers.container_id import container_of
from webhook.node.readers.process import Depth
from webhook.node.readers.process import read_process

MAX_PROCESSES: Final = 512
"""Processes of one container that are read: data loaders make dozens, a fork bomb would keep us from all others."""


class ContainerProcesses:
    """The processes of one container, and how many there are that were not read."""

    def __init__(self) -> None:
        self.read: list[ObservedProcess] = []
        self.left_out = 0


def read_processes(proc: Path, depth_of: Callable[[str], Depth | None]) -> Mapping[str, ContainerProcesses]:
    """Read the processes of all containers for which `depth_of` answers how far to look, by container id.

    Raises:
        OSError: `proc` cannot be listed.
    """
    found: dict[str, ContainerProcesses] = {}
    for name in sorted((name for name in files.names(proc) if name.isdecimal()), key=int):
        try:
            folder = os.open(f"{proc}/{name}", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        except OSError:  # it ended, or is hidden from us (hidepid)
            continue
        try:
            _read(folder, int(name), depth_of, found)
        finally:
            os.close(folder)
    return found


def _read(folder: int, pid: int, depth_of: Callable[[str], Depth | None], found: dict[str, ContainerProcesses]) -> None:
    container = container_at(folder)
    depth = depth_of(container) if container else None
    if container is None or depth is None:
        return
    processes = found.setdefault(container, ContainerProcesses())
    if len(processes.read) >= MAX_PROCESSES:
        processes.left_out += 1
        return
    process = read_process(folder, pid, depth)
    if process is not None:
        processes.read.append(process)


def container_at(folder: int) -> str | None:
    """Answer the container of the process behind an open folder of /proc, whichever version of cgroups it is in."""
    try:
        lines = files.read("cgroup", folder=folder).decode("utf-8", "backslashreplace").splitlines()
    except (OSError, ValueError):
        return None
    return next(filter(None, (container_of(line.split(":", 2)[-1]) for line in lines)), None)
