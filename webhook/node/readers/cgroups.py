"""Finds the cgroups (v2) of containers and reads what they allow: CPUs, memory nodes, quota, and the CPU time used."""

import os
import re
from collections.abc import Callable
from collections.abc import Iterator
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

from webhook.domain.observation import ObservedCgroup
from webhook.domain.observation import smallest_quota
from webhook.node.readers import files
from webhook.node.readers.container_id import container_in
from webhook.node.readers.container_id import is_pod
from webhook.node.readers.files import Gaps

_DEEPEST: Final = 8
"""Folders above a container: --cgroup-root, kubepods, QoS class, pod, and what a distribution puts around."""
_MOST_FOLDERS: Final = 20_000
_QUOTA: Final = re.compile(r"(max|[0-9]{1,18}) ([0-9]{1,18})")
_USAGE: Final = re.compile(r"^usage_usec ([0-9]{1,18})$", re.MULTILINE)
_PODS: Final = "kubepods"
_UNIFIED: Final = "cgroup.controllers"
_MICRO: Final = 1e6


@dataclass(frozen=True, slots=True)
class CpuTime:
    """The CPU time that a container has used so far, and when that was read, both in seconds of steady clocks."""

    used: float
    instant: float


def is_unified(root: Path) -> bool:
    """Tell whether a folder is the root of cgroup v2."""
    return (root / _UNIFIED).exists()


def find_containers(root: Path) -> Mapping[str, str]:
    """Answer the cgroups of all containers, as paths below `root`, by container id.

    They are looked for rather than asked of /proc: what that answers depends on the reader's cgroup namespace. Nothing
    below a container is looked at, since whoever runs in it may make folders of any name there.
    """
    found: dict[str, str] = {}
    level, visited = [""], 0
    for _ in range(_DEEPEST):
        below: list[str] = []
        for path in level:
            visited += 1
            if visited > _MOST_FOLDERS:
                return found
            inside = is_pod(path.rpartition("/")[2])
            for name in _folders(f"{root}/{path}"):
                container = container_in(name, pod=inside)
                if container is None:
                    below.append(f"{path}/{name}" if path else name)
                else:
                    found.setdefault(container, f"{path}/{name}" if path else name)
        level = below
    return found


def _folders(path: str) -> list[str]:
    try:
        with os.scandir(path) as entries:
            return [entry.name for entry in entries if entry.is_dir(follow_symlinks=False)]
    except OSError:  # it ended while we looked
        return []


def cpu_times(root: Path, containers: Mapping[str, str], monotonic: Callable[[], float]) -> Mapping[str, CpuTime]:
    """Read how much CPU time containers have used so far; what has ended is left out."""
    found: dict[str, CpuTime] = {}
    for container, path in containers.items():
        try:
            used = _used(f"{root}/{path}")
        except (OSError, ValueError):
            continue
        found[container] = CpuTime(used, monotonic())
    return found


def read_cgroup(root: Path, path: str, *, usage: float | None = None) -> ObservedCgroup:
    """Read the cgroup of a container. Never raises: what cannot be read is None, and said in `unread`."""
    # Paths are strings here: a full node has thousands of these files, and most of the time would go into their names.
    folder = f"{root}/{path}"
    gaps = Gaps()
    return ObservedCgroup(
        path="/" + path,
        cpus=gaps.take("cpus", partial(files.id_set, f"{folder}/cpuset.cpus")) or None,
        effective_cpus=gaps.take("effective_cpus", partial(files.id_set, f"{folder}/cpuset.cpus.effective")),
        cells=gaps.take("cells", partial(files.id_set, f"{folder}/cpuset.mems")) or None,
        effective_cells=gaps.take("effective_cells", partial(files.id_set, f"{folder}/cpuset.mems.effective")),
        own_quota=gaps.take("quota", partial(_quota, f"{folder}/cpu.max")),
        pod_quota=gaps.take("quota", partial(_quota_above, str(root), path)),
        usage=usage,
        unread=gaps.unread,
    )


def busy(before: Mapping[str, CpuTime], after: Mapping[str, CpuTime], container: str) -> float | None:
    """Answer how many CPUs a container had in use between two readings; None without both."""
    first, last = before.get(container), after.get(container)
    if first is None or last is None or last.instant <= first.instant or last.used < first.used:
        return None
    return (last.used - first.used) / (last.instant - first.instant)


def _quota_above(root: str, path: str) -> tuple[int, int] | None:
    """Answer the smallest quota above a container in the kubelet's tree, which limits it too."""
    quotas = []
    for folder in _above(path):
        with suppress(FileNotFoundError):  # its parent passes the controller on to nobody
            quotas.append(_quota(f"{root}/{folder}/cpu.max"))
    return smallest_quota(*quotas)


def _above(path: str) -> Iterator[str]:
    """Yield the cgroups above a container, up to the kubelet's root of all pods (kubepods)."""
    names = path.split("/")[:-1]
    top = next((at for at, name in enumerate(names) if _PODS in name), 0)
    for end in range(len(names), top, -1):
        yield "/".join(names[:end])


def _quota(path: str) -> tuple[int, int] | None:
    found = _QUOTA.fullmatch(files.text(path))
    if found is None:
        message = f"{path} is no quota with its period"
        raise ValueError(message)
    return None if found[1] == "max" else (int(found[1]), int(found[2]))


def _used(folder: str) -> float:
    found = _USAGE.search(files.text(f"{folder}/cpu.stat"))
    if found is None:
        message = f"{folder}/cpu.stat has no usage_usec"
        raise ValueError(message)
    return int(found[1]) / _MICRO
