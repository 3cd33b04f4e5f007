"""Warns whoever raises a namespace's level: which of its running pods would be refused if they were created again.

After pod-security-admission (admission/admission.go:EvaluatePodsInNamespace): pods are judged until the time is over,
equal ones once, one of each controller first; they are told by what is wrong with them, most pods first. Unlike there
a pod that the mutating pass would repair does not fail, and a controller is named, not a pod.
"""

from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Sequence
from dataclasses import dataclass
from dataclasses import field
from typing import Final

from webhook.domain.finding import Finding
from webhook.domain.levels import Level
from webhook.engine import messages
from webhook.engine import namespace_change
from webhook.engine.exempt import why_exempt
from webhook.engine.exempt import why_pod_exempt
from webhook.engine.judge import judge_pod
from webhook.engine.namespace_change import Change
from webhook.engine.pods import refused
from webhook.engine.running_pods import Alike
from webhook.engine.running_pods import RunningPods
from webhook.engine.world import World

MAX_NAMESPACE: Final = 40
MAX_NAMED: Final = 30
"""Characters of a namespace's name, and of the names of controllers: the rest of a warning is for what is wrong."""


@dataclass(frozen=True, slots=True)
class Watch:
    """The time there is: `seconds` answers what has passed since the start, `most` is what may pass."""

    seconds: Callable[[], float]
    most: float

    @property
    def is_over(self) -> bool:
        """Tell whether the time has passed."""
        return self.seconds() >= self.most


@dataclass(slots=True)
class _Tally:
    """What was found until now, in numbers of pods; `faults` are the findings with who has them."""

    judged: int = 0
    refused: int = 0
    repaired: int = 0
    level: Level = Level.NONE
    faults: list[tuple[Finding, Alike]] = field(default_factory=list)


def review(
    change: Change,
    world: World,
    pods: RunningPods,
    watch: Watch,
    *,
    unread: int = 0,
    room: int = messages.MAX_WARNINGS,
) -> tuple[str, ...]:
    """Answer the warnings about running pods, not more than there is `room` for.

    `unread` counts the pods of the namespace that are not among `pods`.
    """
    tally = _Tally()
    for group in pods.groups():
        if watch.is_over:
            break
        _judge(group, change, world, tally)
    total = pods.count + unread
    last = [_unjudged(tally.judged, total, watch)] if tally.judged < total else []
    if not tally.refused:
        return tuple(last)
    if tally.repaired:
        last.insert(0, f"{_pods(tally.repaired, 'more ')} would be changed by numagate and then admitted")
    return (_head(change, tally), *_lines(tally.faults, room - 1 - len(last)), *last)


def label_warnings(change: Change, world: World) -> tuple[str, ...]:
    """Answer the warnings about labels that have no effect."""
    found = namespace_change.without_effect(change, world)
    return tuple(messages.shortened(one.message, messages.WARNING_CHARACTERS) for one in found)


def _judge(group: Alike, change: Change, world: World, tally: _Tally) -> None:
    tally.judged += group.count
    pod = group.pod
    rulings = namespace_change.rulings(pod, change, world)
    ruling = rulings.after
    if ruling is None or not rulings.may_refuse_more or why_exempt(pod, ruling) or why_pod_exempt(pod, ruling):
        return
    judgement = judge_pod(pod, ruling)
    if judgement.remaining:
        tally.refused += group.count
        tally.level = max(tally.level, ruling.modes.enforce)
        tally.faults += ((finding, group) for finding in refused(pod, judgement, ruling))
    elif judgement.edits:
        tally.repaired += group.count


def _head(change: Change, tally: _Tally) -> str:
    name = messages.shortened(change.namespace, MAX_NAMESPACE)
    counted = f"{tally.refused:,} of {tally.judged:,}"
    return f'existing pods in namespace "{name}" violate numagate level "{tally.level}": {counted}'


def _lines(faults: Iterable[tuple[Finding, Alike]], room: int) -> list[str]:
    """Write a line for each finding; where that takes more room than there is, one for each rule, with an example."""
    faults = tuple(faults)
    grouped = _grouped(faults, messages.finding_warning)
    if len(grouped) > room:
        grouped = _grouped(faults, lambda finding: finding.code, like="such as ")
    if len(grouped) > room:
        more = len(grouped) - room + 1
        return [*grouped[: room - 1], f"(+{more} more findings; numagate lint shows them all)"]
    return grouped


def _grouped(faults: Iterable[tuple[Finding, Alike]], key: Callable[[Finding], str], *, like: str = "") -> list[str]:
    found: dict[str, tuple[Finding, list[Alike]]] = {}
    for finding, group in faults:
        _, groups = found.setdefault(key(finding), (finding, []))
        if group not in groups:
            groups.append(group)
    ordered = sorted(found.items(), key=lambda item: (-_count(item[1][1]), item[0]))
    return [_line(finding, groups, like if len(groups) > 1 else "") for _, (finding, groups) in ordered]


def _line(finding: Finding, groups: Sequence[Alike], like: str) -> str:
    owners = list(dict.fromkeys(owner for group in groups for owner in group.owners))
    count = _count(groups)
    who = messages.named(owners, room=MAX_NAMED, more=_pods(count) if count > len(owners) else "")
    head = f"{who}: {like}"
    return head + messages.finding_warning(finding, room=messages.WARNING_CHARACTERS - len(head))


def _unjudged(judged: int, total: int, watch: Watch) -> str:
    return f"numagate judged {judged:,} of {total:,} pods in {watch.seconds():.1f} s: others may be refused, too"


def _count(groups: Iterable[Alike]) -> int:
    return sum(group.count for group in groups)


def _pods(count: int, kind: str = "") -> str:
    return f"{count:,} {kind}pod{'' if count == 1 else 's'}"
