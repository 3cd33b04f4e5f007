"""Policies and profiles as objects: which version of each is in force, and what to tell its author.

An object that is wrong keeps its last good version in force, and says why in its condition `Accepted`. Most mistakes
are refused when the object is applied; what is left are those that a schema cannot see.
"""

import threading
from collections.abc import Callable
from collections.abc import Mapping
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from dataclasses import replace
from datetime import datetime
from typing import Final

from webhook.controller.changes import Changes
from webhook.controller.schedule import Urgency
from webhook.domain.errors import PolicyError
from webhook.domain.raw import JsonObject
from webhook.domain.raw import as_object
from webhook.domain.raw import get_list
from webhook.domain.raw import get_object
from webhook.domain.raw import get_text
from webhook.kube.resource import Resource

ACCEPTED: Final = "Accepted"
MESSAGE_CHARACTERS: Final = 1024

_KEPT = "the last good version stays in force"
_NOT_IN_FORCE = "it is not in force"


@dataclass(frozen=True, slots=True)
class Held:
    """One object: its newest spec, what is wrong with it ("" if nothing is), and the spec that is in force.

    `status` is what the object says of itself, `nodes` how many nodes a profile matches, None for a policy.
    """

    spec: JsonObject
    generation: int
    status: JsonObject
    error: str
    good: JsonObject | None
    nodes: int | None = None

    def wanted(self, now: datetime) -> dict[str, object] | None:
        """Answer the status that the object should have, None where it has it."""
        wanted: dict[str, object] = {"observedGeneration": self.generation, "conditions": self._conditions(now)}
        if self.nodes is not None:
            wanted["nodes"] = self.nodes
        return None if wanted.items() <= self.status.items() else wanted

    def _conditions(self, now: datetime) -> list[JsonObject]:
        conditions = [as_object(one) for one in get_list(self.status, "conditions")]
        old = next((one for one in conditions if get_text(one, "type") == ACCEPTED), {})
        kept = _KEPT if self.good is not None else _NOT_IN_FORCE
        accepted: dict[str, object] = {
            "type": ACCEPTED,
            "status": "False" if self.error else "True",
            "reason": "Invalid" if self.error else "Valid",
            "message": f"{self.error[:MESSAGE_CHARACTERS]}; {kept}" if self.error else "in force",
            "observedGeneration": self.generation,
        }
        since = get_text(old, "lastTransitionTime") if get_text(old, "status") == accepted["status"] else ""
        accepted["lastTransitionTime"] = since or now.strftime("%Y-%m-%dT%H:%M:%SZ")
        return [accepted, *(one for one in conditions if get_text(one, "type") != ACCEPTED)]


class Documents:
    """All objects of one kind of ours, a sink of a reflector; `check` answers what is wrong with one."""

    def __init__(
        self,
        kind: str,
        resource: Resource,
        *,
        check: Callable[[JsonObject], Sequence[PolicyError]],
        changes: Changes,
    ) -> None:
        self.kind = kind
        self.resource = resource
        self._check = check
        self._changes = changes
        self._held: dict[str, Held] = {}
        self._earlier: dict[str, JsonObject] = {}
        self._lock = threading.Lock()

    def put(self, key: str, found: JsonObject) -> None:
        """Take an object."""
        spec = get_object(found, "spec")
        generation = get_object(found, "metadata").get("generation")
        status = get_object(found, "status")
        old = self._held.get(key)
        error = old.error if old and old.spec == spec else self._error_in(key, spec)
        with self._lock:
            # Whoever counts nodes or adopts earlier specs may have been here since.
            old = self._held.get(key)
            good = spec if not error else (old.good if old else self._earlier.get(key))
            nodes = old.nodes if old else None
            new = Held(spec, generation if isinstance(generation, int) else 0, status, error, good, nodes)
            self._held[key] = new
        if old is None or old.good != good:
            self._changes.note(Urgency.NODES)
        self._changes.ring()

    def drop(self, key: str) -> None:
        """Forget an object."""
        with self._lock:
            known = self._held.pop(key, None)
            self._earlier.pop(key, None)
        if known is not None:
            self._changes.note(Urgency.NODES)

    def keep(self, keys: AbstractSet[str]) -> None:
        """Forget all but these."""
        for key in self._held.keys() - keys:
            self.drop(key)
        self._changes.whole(self.kind)

    def adopt(self, earlier: dict[str, JsonObject]) -> None:
        """Take the specs of the last snapshot: what is wrong from the start goes on as it was then.

        One that an older version wrote and this one cannot read would be refused by every replica, with all the rest.
        """
        readable = {key: spec for key, spec in earlier.items() if not self._error_in(key, spec)}
        with self._lock:
            self._earlier = readable
            for key, held in self._held.items():
                if held.good is None and key in readable:
                    self._held[key] = replace(held, good=readable[key])
        self._changes.note(Urgency.NODES)

    def in_force(self) -> tuple[JsonObject, ...]:
        """Answer the documents in force, by name."""
        with self._lock:
            held = sorted(self._held.items())
        return tuple({"metadata": {"name": key}, "spec": one.good} for key, one in held if one.good is not None)

    def count(self, nodes: Mapping[str, int]) -> None:
        """Note how many nodes carry the labels of each profile."""
        with self._lock:
            self._held = {key: replace(held, nodes=nodes.get(key, 0)) for key, held in self._held.items()}

    def verdicts(self, now: datetime) -> list[tuple[str, dict[str, object]]]:
        """Answer the objects whose status is not what it should be, with the one that it should be."""
        with self._lock:
            held = sorted(self._held.items())
        wanted = ((key, one.wanted(now)) for key, one in held)
        return [(key, status) for key, status in wanted if status is not None]

    def told(self, name: str, status: JsonObject) -> None:
        """Note that an object has this status now, before the watch says so."""
        with self._lock:
            if name in self._held:
                self._held[name] = replace(self._held[name], status={**self._held[name].status, **status})

    def invalid(self) -> int:
        """Answer how many objects are wrong."""
        with self._lock:
            return sum(bool(one.error) for one in self._held.values())

    def __len__(self) -> int:
        return len(self._held)

    def _error_in(self, name: str, spec: JsonObject) -> str:
        document = {
            "apiVersion": f"{self.resource.group}/{self.resource.version}",
            "kind": self.kind,
            "metadata": {"name": name},
            "spec": spec,
        }
        return "; ".join(map(str, self._check(document)))
