"""Pods that have a promise with them of which the policies that were read say nothing: those may be older than the pod.

No clock is compared with another's: policies that were asked for after a pod was seen here are newer than the pod.
"""

from collections.abc import Iterable


class Doubts:
    """Since when each such pod is known, in seconds of a monotonic clock; it has no clock of its own."""

    def __init__(self) -> None:
        self._since: dict[str, float] = {}

    def open(self, uids: Iterable[str], *, asked: float, now: float) -> frozenset[str]:
        """Answer those that the policies cannot know yet, which were asked for at `asked`; `uids` are all of now."""
        self._since = {uid: self._since.get(uid, now) for uid in uids}
        return frozenset(uid for uid, since in self._since.items() if since >= asked)
