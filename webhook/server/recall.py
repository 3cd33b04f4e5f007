"""Remembers what was decided on new pods, so that the replicas of a workload are simulated once."""

import marshal
from collections.abc import Mapping
from dataclasses import dataclass
from dataclasses import field
from dataclasses import replace
from typing import Final
from typing import TypeAlias

from webhook.domain import keys
from webhook.domain.claims import ClaimCatalog
from webhook.domain.policy import Policy
from webhook.domain.raw import JsonObject
from webhook.domain.raw import get_object
from webhook.domain.topology import NodeClass
from webhook.engine.decision import Decision
from webhook.engine.essence import essence
from webhook.engine.exempt import why_mirror
from webhook.engine.request import Pass
from webhook.engine.request import Request
from webhook.engine.review import review
from webhook.engine.world import World

MAX_ENTRIES: Final = 256
"""Decisions in one of two halves; the older half goes when the younger is full."""
MAX_BYTES: Final = 8 * 1024
"""A pod whose essence is larger is decided each time, so that hostile ones cannot fill the memory."""

_PLAIN: Final = 2
"""The marshal format without references between values, so that equal content gives equal bytes."""

_Key: TypeAlias = tuple[Pass, str, tuple[int, ...], bytes]


@dataclass(frozen=True, slots=True, eq=False)
class _Memory:
    """What was decided in one world; decisions of another world are never found in it."""

    policies: tuple[Policy, ...]
    classes: tuple[NodeClass, ...]
    namespaces: Mapping[str, Mapping[str, str]]
    claims: ClaimCatalog
    expired: int
    young: dict[_Key, Decision] = field(default_factory=dict)
    old: dict[_Key, Decision] = field(default_factory=dict)

    def holds(self, world: World) -> bool:
        same = self.policies is world.policies and self.classes is world.classes and self.claims is world.claims
        return same and self.namespaces is world.namespaces and self.expired == _expired(world)


class Recall:
    """`review`, remembered by the pod's essence. May be called from several threads."""

    def __init__(self) -> None:
        """Start with nothing remembered."""
        self._memory: _Memory | None = None

    def __call__(self, request: Request, world: World) -> Decision:
        """Decide on the request, or answer what was decided on the same before."""
        key = _key(request, world)
        if key is None:
            return review(request, world)
        memory = self._memory
        if memory is None or not memory.holds(world):
            memory = self._memory = _Memory(
                world.policies, world.classes, world.namespaces, world.claims, _expired(world)
            )
        decision = memory.young.get(key) or memory.old.get(key)
        if decision is None:
            decision = review(request, world)
        if key not in memory.young:
            self._keep(memory, key, decision)
        return decision

    def _keep(self, memory: _Memory, key: _Key, decision: Decision) -> None:
        if len(memory.young) >= MAX_ENTRIES:
            memory = self._memory = replace(memory, young={}, old=memory.young)
        memory.young[key] = decision


def _key(request: Request, world: World) -> _Key | None:
    """Answer what a decision on a new pod depends on in one world; None where it depends on more."""
    pod = request.object
    if request.kind != "Pod" or request.group or request.operation != "CREATE" or request.subresource or pod is None:
        return None
    if _is_dated(pod) or why_mirror(request) is not None:
        return None
    content = marshal.dumps(essence(pod), _PLAIN)  # type: ignore[arg-type]  # JSON is what marshal takes
    if len(content) > MAX_BYTES:
        return None
    return request.review_pass, request.namespace, _named(request, world), content


def _named(request: Request, world: World) -> tuple[int, ...]:
    """Answer which exemptions name the one who makes the request."""
    rules = (rule for policy in world.policies for rule in policy.exemptions.rules)
    return tuple(number for number, rule in enumerate(rules) if rule.names_requester(request.username, request.groups))


def _expired(world: World) -> int:
    """Count the exemptions whose time is over: while the number stays, no decision changes by time."""
    rules = (rule for policy in world.policies for rule in policy.exemptions.rules)
    return sum(not rule.holds_at(world.instant) for rule in rules)


def _is_dated(pod: JsonObject) -> bool:
    return keys.EXEMPT_UNTIL in get_object(pod, "metadata", "annotations")
