"""Repairs a pod: the smallest edits that bring it to a level, tried in the simulation before they are kept."""

from collections.abc import Callable
from collections.abc import Iterator
from collections.abc import Mapping
from dataclasses import dataclass
from dataclasses import replace

from webhook.domain import injectors
from webhook.domain.check import Subject
from webhook.domain.check import field_of
from webhook.domain.edit import Edit
from webhook.domain.facts import read
from webhook.domain.levels import Level
from webhook.domain.pod import Container
from webhook.domain.pod import PodFacts
from webhook.domain.pointer import Path
from webhook.domain.quantity import Quantity
from webhook.domain.raw import JsonObject
from webhook.domain.raw import as_object
from webhook.domain.resources import COMPUTE
from webhook.domain.resources import LEAST_MEMORY
from webhook.domain.resources import MEMORY
from webhook.domain.resources import below_whole
from webhook.domain.rewrite import set_value
from webhook.engine.share import helper_default

Gather = Callable[[PodFacts], Subject]
"""Simulates a pod's facts and answers what the checks read (see `subject.gather`)."""


@dataclass(frozen=True, slots=True)
class Amendment:
    """A repaired pod: the edits, the raw object with them, and the subject that the checks see now."""

    edits: tuple[Edit, ...]
    pod: JsonObject
    subject: Subject


@dataclass(frozen=True, slots=True)
class _Target:
    """The value that request and limit shall both have, the finding it cures, and a note for the warning."""

    quantity: Quantity
    code: str
    note: str = ""


_Planned = tuple[Container, str, _Target]
"""A container, a resource, and what both of its values become."""


def amend(pod: JsonObject, subject: Subject, gather: Gather, *, level: Level) -> Amendment:
    """Answer the pod with every fault repaired that belongs to `level` or below and can be.

    A helper with an equal, whole CPU is left alone, unless the simulation shows that the pod fits only without it.
    spec.resources decide for the whole pod, and nothing inside is repaired then.
    """
    if level is Level.NONE or subject.facts.resources_set:
        return Amendment((), pod, subject)
    amended = _apply(pod, subject, gather, _plan(subject, level, free_helpers=False))
    if level is Level.ALIGNED and amended.subject.unfit:
        freed = _apply(pod, subject, gather, _plan(subject, level, free_helpers=True))
        if not freed.subject.unfit:
            return freed
    return amended


def _apply(pod: JsonObject, subject: Subject, gather: Gather, plan: tuple[_Planned, ...]) -> Amendment:
    edits = tuple(edit for container, resource, target in plan for edit in _write(pod, container, resource, target))
    amended: object = pod
    for edit in edits:
        amended = set_value(amended, edit.path, edit.new)
    result = as_object(amended)
    decided = {(container.name, resource) for container, resource, _ in plan}
    left = frozenset(one for one in subject.by_limit_range if (one[0], one[2]) not in decided)
    if not edits and left == subject.by_limit_range:
        return Amendment((), pod, subject)
    return Amendment(edits, result, replace(gather(read(result)), by_limit_range=left))


def _plan(subject: Subject, level: Level, *, free_helpers: bool) -> tuple[_Planned, ...]:
    return tuple(
        (container, resource, target)
        for container in subject.facts.containers
        for resource in COMPUTE
        if (target := _target(subject, container, resource, level, free_helpers=free_helpers)) is not None
    )


def _target(
    subject: Subject, container: Container, resource: str, level: Level, *, free_helpers: bool
) -> _Target | None:
    """Decide the value of one resource; None where nothing is chosen and nothing may be filled in."""
    is_main = container.name in subject.accelerators
    request, limit = subject.chosen(container, resource)
    if request is None and limit is None:
        target = _fill(subject, container, resource, is_main=is_main)
    else:
        target = _equalise(request, limit, resource)
    if target is None:
        return None
    if resource == MEMORY:
        return _whole_bytes(target) if level >= Level.EXCLUSIVE else target
    if is_main:
        return _whole_cpus(target, subject) if level >= Level.EXCLUSIVE else target
    changed = target.code != "" or free_helpers
    return _unpinned(target) if changed and target.quantity.is_whole else target


def _fill(subject: Subject, container: Container, resource: str, *, is_main: bool) -> _Target | None:
    values = subject.shares if is_main else subject.helper_values
    quantity = values.get(container.name, {}).get(resource)
    if quantity is None:
        return None
    if is_main:
        return _Target(quantity, "missing-resources", "fair share; quota and LimitRange apply")
    if resource == MEMORY:
        return _Target(quantity, "missing-resources", f"may be killed above {quantity}")
    entry = helper_default(container, subject.policy.repair)
    return _Target(quantity, "missing-resources", f"helper table: {entry.name}" if entry is not None else "")


def _equalise(request: Quantity | None, limit: Quantity | None, resource: str) -> _Target | None:
    if limit is None:
        if request is None:
            return None
        note = "may be killed above it" if resource == MEMORY else "now has a limit"
        return _Target(request, "unequal-resources", note)
    return _Target(limit, "" if request == limit else "unequal-resources")


def _whole_bytes(target: _Target) -> _Target:
    """Round up to a byte, unless so little must be a slip of the pen."""
    if target.quantity.is_whole or target.quantity < LEAST_MEMORY:
        return target
    return _Target(Quantity.of_bytes(target.quantity.value), "fractional-memory", target.note)


def _whole_cpus(target: _Target, subject: Subject) -> _Target:
    count = Quantity.of_count(subject.whole_cpus(target.quantity))
    if count == target.quantity:
        return target
    return _Target(count, "partial-core" if target.quantity.is_whole else "fractional-cpu", target.note)


def _unpinned(target: _Target) -> _Target:
    """Take 10m off a helper's whole CPU, so that it stays in the shared pool."""
    return _Target(below_whole(target.quantity), target.code or "helper-whole-cpu", "keeps it in the shared pool")


def _write(pod: JsonObject, container: Container, resource: str, target: _Target) -> Iterator[Edit]:
    """Yield the edits that make limit and request the target; an unwritten request follows the limit by default."""
    written = _resources_as_written(pod, container.path)
    for side, values in (("limits", container.limits), ("requests", container.requests)):
        old = values.get(resource)
        unwritten = resource not in as_object(written.get(side))
        if old == target.quantity and not (side == "limits" and unwritten):
            continue
        if side == "requests" and unwritten:
            continue
        path, new = field_of(container, side, resource), str(target.quantity)
        yield Edit(
            code=target.code or "unequal-resources",
            container=container.name,
            path=path,
            old=None if old is None or unwritten else str(old),
            new=new,
            note=target.note,
            cure=injectors.cure_of(container, path, new),
        )


def _resources_as_written(pod: JsonObject, path: Path) -> Mapping[str, object]:
    value: object = pod
    for step in (*path, "resources"):
        if isinstance(step, int):
            value = value[step] if isinstance(value, list) else None
        else:
            value = as_object(value).get(step)
    return as_object(value)
