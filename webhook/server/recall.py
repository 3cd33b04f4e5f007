"""Remembers what was decided on new pods, so that the replicas of a workload are simulated once."""

from dataclasses import dataclass
from dataclasses import field
from dataclasses import replace
from datetime import datetime
from typing import Final
from typing import TypeAlias

from webhook.domain import keys
from webhook.domain.policy import ExemptionRule
from webhook.domain.raw import JsonObject
from webhook.domain.raw import get_object
from webhook.engine.decision import Decision
from webhook.engine.essence import packed
from webhook.engine.exempt import why_mirror
from webhook.engine.request import Pass
from webhook.engine.request import Request
from webhook.engine.review import review
from webhook.engine.world import World

MAX_ENTRIES: Final = 256
"""Decisions in one of two halves; the older half goes when the younger is full."""
MAX_BYTES: Final = 8 * 1024
"""A pod whose essence is larger is decided each time, so that hostile ones cannot fill the memory."""

_Key: TypeAlias = tuple[Pass, str, tuple[bool, ...], bytes]


@dataclass(frozen=True, slots=True, eq=False)
class _Memory:
    """What was decided in one world; decisions of another world are never found in it.

    `since` and `until` are the instants between which no exemption ends. `personal` are the exemptions that ask who
    makes the request.
    """

    world: World
    since: datetime | None
    until: datetime | None
    personal: tuple[ExemptionRule, ...]
    young: dict[_Key, Decision] = field(default_factory=dict)
    old: dict[_Key, Decision] = field(default_factory=dict)

    def holds(self, world: World) -> bool:
        then = self.world
        same = then.policies is world.policies and then.classes is world.classes and then.claims is world.claims
        begun = self.since is None or self.since <= world.instant
        return same and then.namespaces is world.namespaces and begun and not self._is_over(world.instant)

    def _is_over(self, instant: datetime) -> bool:
        return self.until is not None and self.until <= instant

    def key(self, request: Request, pod: JsonObject) -> _Key | None:
        """Answer what a decision on a new pod depends on in this world; None for a pod that is too large to keep."""
        content = packed(pod)
        if len(content) > MAX_BYTES:
            return None
        by_user = (request.username in rule.users for rule in self.personal)
        by_group = (not set(request.groups).isdisjoint(rule.groups) for rule in self.personal)
        return request.review_pass, request.namespace, (*by_user, *by_group), content


class Recall:
    """`review`, remembered by the pod's essence. May be called from several threads."""

    def __init__(self) -> None:
        """Start with nothing remembered."""
        self._memory: _Memory | None = None
        self.hits = 0
        """How often a decision was remembered; two threads at once may lose one."""

    def __call__(self, request: Request, world: World) -> Decision:
        """Decide on the request, or answer what was decided on the same before."""
        pod = _new_pod(request)
        if pod is None:
            return review(request, world)
        memory = self._memory
        if memory is None or not memory.holds(world):
            memory = self._memory = _begin(world)
        key = memory.key(request, pod)
        if key is None:
            return review(request, world)
        decision = memory.young.get(key) or memory.old.get(key)
        if decision is None:
            decision = review(request, world)
        else:
            self.hits += 1
        if key not in memory.young:
            self._keep(memory, key, decision)
        return decision

    def _keep(self, memory: _Memory, key: _Key, decision: Decision) -> None:
        if len(memory.young) >= MAX_ENTRIES:
            memory = self._memory = replace(memory, young={}, old=memory.young)
        memory.young[key] = decision


def _begin(world: World) -> _Memory:
    rules = [rule for policy in world.policies for rule in policy.exemptions.rules]
    ends = [rule.until for rule in rules if rule.until is not None]
    return _Memory(
        world=world,
        since=max((end for end in ends if end <= world.instant), default=None),
        until=min((end for end in ends if end > world.instant), default=None),
        personal=tuple(rule for rule in rules if rule.users or rule.groups),
    )


def _new_pod(request: Request) -> JsonObject | None:
    """Answer the pod of a creation; None where the decision depends on more than its essence and the world."""
    pod = request.object
    if request.kind != "Pod" or request.group or request.operation != "CREATE" or request.subresource or pod is None:
        return None
    return None if _is_dated(pod) or why_mirror(request) is not None else pod


def _is_dated(pod: JsonObject) -> bool:
    return keys.EXEMPT_UNTIL in get_object(pod, "metadata", "annotations")
