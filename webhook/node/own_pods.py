"""The pods of this node, as the API server has them, whole: the sink of their watch."""

import threading
from collections.abc import Callable
from collections.abc import Set as AbstractSet
from typing import Final

from webhook.domain.phase import has_ended
from webhook.domain.raw import JsonObject
from webhook.domain.raw import get_list
from webhook.domain.raw import get_object
from webhook.domain.raw import get_text

_LARGE: Final = "managedFields"
"""A third of a pod, which nobody here reads."""


class OwnPods:
    """Every method may be called from every thread; `ring` is called when there is something new to see."""

    def __init__(self, ring: Callable[[], None]) -> None:
        self.whole = False
        self._ring = ring
        self._pods: dict[str, JsonObject] = {}
        self._lock = threading.Lock()

    def put(self, key: str, found: JsonObject) -> None:
        """Take a pod."""
        pod = _lean(found)
        with self._lock:
            before = self._pods.get(key)
            self._pods[key] = pod
        self._compare(before, pod)

    def drop(self, key: str) -> None:
        """Forget a pod."""
        with self._lock:
            gone = self._pods.pop(key, None)
        if gone is not None:
            self._ring()

    def keep(self, keys: AbstractSet[str]) -> None:
        """Forget all but these; the picture is whole."""
        with self._lock:
            left = {key: pod for key, pod in self._pods.items() if key in keys}
            news = not self.whole or len(left) < len(self._pods)
            self._pods, self.whole = left, True
        if news:
            self._ring()

    def written(self, key: str, pod: JsonObject) -> None:
        """Take what the API server answered to a write, unless its watch has told that, or more, before."""
        pod = _lean(pod)
        version = _version(pod)
        with self._lock:
            before = self._pods.get(key)
            if before is None or version <= _version(before):
                return
            self._pods[key] = pod
        self._compare(before, pod)

    def running(self) -> tuple[JsonObject, ...]:
        """Answer the pods that have not ended, by namespace and name."""
        with self._lock:
            pods = [pod for _, pod in sorted(self._pods.items())]
        return tuple(pod for pod in pods if not has_ended(pod))

    def __len__(self) -> int:
        return len(self._pods)

    def _compare(self, before: JsonObject | None, pod: JsonObject) -> None:
        """Ring if there is something new; what we write ourselves comes back as a change, and is none."""
        if before is None or _looks(before) != _looks(pod):
            self._ring()


def _lean(pod: JsonObject) -> JsonObject:
    metadata = {name: value for name, value in get_object(pod, "metadata").items() if name != _LARGE}
    return {**pod, "metadata": metadata}


def _version(pod: JsonObject) -> int:
    """Answer the resource version, which is a number since 1.35 by promise and was one ever before."""
    text = get_text(get_object(pod, "metadata"), "resourceVersion")
    return int(text) if text.isdecimal() else 0


def _looks(pod: JsonObject) -> object:
    """Answer what makes a pod worth a look: which pod it is, how far it is, what it holds, and what runs."""
    metadata, status = get_object(pod, "metadata"), get_object(pod, "status")
    states = [
        (get_text(one, "containerID"), get_object(one, "state"))
        for kind in ("initContainerStatuses", "containerStatuses")
        for one in get_list(status, kind)
    ]
    return (
        get_text(metadata, "uid"),
        get_text(metadata, "deletionTimestamp"),
        get_object(metadata, "annotations"),
        get_text(status, "phase"),
        get_object(pod, "spec"),
        states,
    )
