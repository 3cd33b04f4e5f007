"""The running pods of a namespace, kept small: equal ones once, with the names of what made them.

Replicas of a workload are equal in all that a decision reads (`essence`), once labels that no policy reads are left
out: those of a StatefulSet or an indexed Job number the pod.
"""

from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Mapping
from dataclasses import dataclass
from dataclasses import field
from typing import Final

from webhook.domain import keys
from webhook.domain.phase import has_ended
from webhook.domain.policy import Policy
from webhook.domain.raw import JsonObject
from webhook.domain.raw import as_object
from webhook.domain.raw import get_list
from webhook.domain.raw import get_object
from webhook.domain.raw import get_text
from webhook.domain.raw import get_text_map
from webhook.engine.essence import packed
from webhook.engine.essence import unpacked

_HASHES: Final = ("pod-template-hash", "rollouts-pod-template-hash")
"""Labels whose value ends the name of a ReplicaSet, behind the name of what made it."""


@dataclass(slots=True)
class Alike:
    """Pods that are judged alike: one's content, the number of them, and the names of what made them, each once."""

    content: bytes
    count: int = 0
    owners: dict[str, None] = field(default_factory=dict)

    @property
    def pod(self) -> JsonObject:
        """Answer one of them, as far as a decision reads it."""
        return unpacked(self.content)


class RunningPods:
    """Collects pods; those that have ended or are about to, and mirror pods, do not count."""

    def __init__(self, policies: Iterable[Policy]) -> None:
        """Keep of labels what one of the policies may read."""
        policies = tuple(policies)
        selectors = (one.match.pod_selector for one in policies)
        self._labels = frozenset(key for one in selectors if one is not None for key in one.keys)
        self._labels |= frozenset(key for one in policies for key in one.recognition.labels)
        self._groups: dict[bytes, Alike] = {}
        self.count = 0

    def add(self, pods: Iterable[JsonObject]) -> None:
        """Take pods as the API server lists them; nothing of them is held."""
        for pod in pods:
            if _is_ending(pod) or _is_mirror(pod):
                continue
            self.count += 1
            content = packed(self._reduced(pod))
            group = self._groups.setdefault(content, Alike(content))
            group.count += 1
            group.owners[_owner(pod)] = None

    def groups(self) -> Iterator[Alike]:
        """Yield the groups: one of each owner first, since the others are most likely like it."""
        seen: set[str] = set()
        later: list[Alike] = []
        for group in self._groups.values():
            if group.owners.keys() <= seen:
                later.append(group)
            else:
                seen |= group.owners.keys()
                yield group
        yield from later

    def _reduced(self, pod: JsonObject) -> JsonObject:
        metadata = get_object(pod, "metadata")
        kept = {key: value for key, value in get_text_map(metadata, "labels").items() if self._is_read(key)}
        return {**pod, "metadata": {**metadata, "labels": kept}}

    def _is_read(self, key: str) -> bool:
        return key in self._labels or key.startswith(keys.DOMAIN)


def _is_ending(pod: JsonObject) -> bool:
    gone = "deletionTimestamp" in get_object(pod, "metadata")
    return gone or has_ended(pod)


def _is_mirror(pod: JsonObject) -> bool:
    """Know a mirror pod by two of its signs: who made it is not known any more."""
    metadata = get_object(pod, "metadata")
    owned = any(get_text(owner, "kind") == "Node" for owner in get_list(metadata, "ownerReferences"))
    return owned and keys.MIRROR in get_object(metadata, "annotations")


def _owner(pod: JsonObject) -> str:
    """Name the pod's controller, and of a ReplicaSet the Deployment; a pod without one by its own name."""
    metadata = get_object(pod, "metadata")
    owner = next(filter(_controls, map(as_object, get_list(metadata, "ownerReferences"))), None)
    if owner is None:
        return get_text(metadata, "name")
    name = get_text(owner, "name")
    return _without_hash(name, get_text_map(metadata, "labels")) if get_text(owner, "kind") == "ReplicaSet" else name


def _controls(owner: JsonObject) -> bool:
    return owner.get("controller") is True


def _without_hash(name: str, labels: Mapping[str, str]) -> str:
    for key in _HASHES:
        if labels.get(key):
            name = name.removesuffix(f"-{labels[key]}")
    return name
