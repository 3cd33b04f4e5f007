"""Tells from the path of a cgroup which container it belongs to.

The kubelet makes one cgroup per pod (with the cgroupfs driver `pod<uid>`, with systemd `...-pod<uid>.slice`), and the
runtime one per container in it: containerd `<id>` or `cri-containerd-<id>.scope`, CRI-O `crio-<id>` or
`crio-<id>.scope`, cri-dockerd `<id>` or `docker-<id>.scope`. What stands before the pod (--cgroup-root, the cgroup
namespace of the reader) and below the container (its own init system, or somebody who wants to look like another
container) says nothing.

>>> container_of("/kubepods/burstable/pod0f9a1c2e-0000-4000-8000-000000000001/" + "ab" * 32 + "/init")[:4]
'abab'
"""

import re
from typing import Final

_POD: Final = re.compile(r"(?:[a-z0-9_.-]*-)?pod[0-9a-f]{8}[0-9a-f_-]{24,28}(?:\.slice)?")
_CONTAINER: Final = re.compile(r"(?:(?:cri-containerd|crio|docker)-)?([0-9a-f]{64})(?:\.scope)?")
_JOINED: Final = re.compile(
    r"[a-z0-9_.-]*-pod[0-9a-f]{8}[0-9a-f_-]{24,28}\.slice:(?:cri-containerd|crio|docker):([0-9a-f]{64})"
)
"""What containerd makes of systemd's notation where its own driver is cgroupfs."""


def is_pod(name: str) -> bool:
    """Tell whether a folder is the cgroup of a pod."""
    return _POD.fullmatch(name) is not None


def container_in(name: str, *, pod: bool) -> str | None:
    """Answer the container that a folder is the cgroup of; `pod` says whether the folder lies in that of a pod."""
    found = _CONTAINER.fullmatch(name) if pod else _JOINED.fullmatch(name)
    return found[1] if found else None


def container_of(path: str) -> str | None:
    """Answer the id of the container that a cgroup's path lies in; None for anything that is no container."""
    pod = False
    for name in path.split("/"):
        found = container_in(name, pod=pod)
        if found is not None:
            return found
        pod = is_pod(name)
    return None
