"""Reads the checkpoints of the kubelet's CPU and memory manager: which policy wrote them, and who has which CPUs.

Since 1.37 a checkpoint holds its content as a JSON string in `data`, which is what counts there, and a copy around it
for older kubelets (pkg/kubelet/cm/cpumanager/state/checkpoint.go, memorymanager/state/checkpoint.go). The checksums
are over a dump of Go values, so they are not checked.
"""

import json
from functools import partial
from pathlib import Path
from typing import Final

from webhook.domain import cpuset
from webhook.domain.observation import CPU_STATE
from webhook.domain.observation import MEMORY_STATE
from webhook.domain.observation import StateFile
from webhook.domain.raw import JsonObject
from webhook.domain.raw import as_object
from webhook.domain.raw import get_object
from webhook.domain.raw import get_text
from webhook.node.readers import files
from webhook.node.readers.files import Gaps

_MOST: Final = 1 << 24


def read_state_files(kubelet: Path, gaps: Gaps) -> tuple[StateFile, ...]:
    """Read what is there below the kubelet's folder; a manager that never ran has left nothing.

    One that is no checkpoint is noted by its own name, since that is a fault of the node; that one cannot be opened
    says nothing about what is in it.
    """
    found = []
    for name in (CPU_STATE, MEMORY_STATE):
        path = kubelet / name
        written = gaps.take("state_files", partial(_read, path))
        if written is not None:
            found.append(gaps.take(name, partial(_checkpoint, written, path)))
    return tuple(one for one in found if one is not None)


def _read(path: Path) -> bytes | None:
    try:
        return files.read(path, most=_MOST)
    except FileNotFoundError:
        return None


def _checkpoint(written: bytes, path: Path) -> StateFile:
    content = _content(written, path)
    policy = get_text(content, "policyName")
    if path.name != CPU_STATE:
        return StateFile(path.name, policy)
    default = get_text(content, "defaultCpuSet")
    return StateFile(path.name, policy, _cpus(default, f"{path}: defaultCpuSet"), _given(content, path))


def _given(content: JsonObject, path: Path) -> int:
    """Join the CPUs of all containers, and those of pods that the gate PodLevelResourceManagers gives some as one.

    Raises:
        ValueError: one is no CPU list.
    """
    bits = 0
    for containers in get_object(content, "entries").values():
        for name in as_object(containers):
            bits |= _cpus(get_text(containers, name), f"{path}: entries")
    for pod in get_object(content, "podEntries").values():
        bits |= _cpus(get_text(pod, "cpuSet"), f"{path}: podEntries")
    return bits


def _cpus(text: str, place: str) -> int:
    try:
        return cpuset.parse(text)
    except ValueError as error:
        message = f"{place}: {error}"
        raise ValueError(message) from None


def _content(text: bytes, path: Path) -> JsonObject:
    written = _object(text, path)
    inner = get_text(written, "data")
    return _object(inner, path) if inner else written


def _object(text: str | bytes, path: Path) -> JsonObject:
    try:
        value = json.loads(text)
    except RecursionError:
        value = None
    except ValueError as error:
        message = f"{path} is no JSON: {error}"
        raise ValueError(message) from None
    if not isinstance(value, dict):
        message = f"{path} is no checkpoint of the kubelet"
        raise ValueError(message)  # noqa: TRY004 - a content, not an argument
    return as_object(value)
