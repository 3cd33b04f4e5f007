"""Judges workload objects by their pod templates, when they are applied."""

from collections.abc import Iterator
from dataclasses import dataclass
from dataclasses import replace

from webhook.domain import keys
from webhook.domain.finding import Finding
from webhook.domain.finding import Severity
from webhook.domain.levels import Level
from webhook.domain.levels import Modes
from webhook.domain.pod_location import PodLocation
from webhook.domain.raw import JsonObject
from webhook.domain.raw import as_object
from webhook.domain.raw import get_list
from webhook.domain.raw import get_object
from webhook.domain.workload import Workload
from webhook.engine import level_label
from webhook.engine import messages
from webhook.engine import respond
from webhook.engine.completed import soften
from webhook.engine.completed import unseen
from webhook.engine.decision import Decision
from webhook.engine.decision import Outcome
from webhook.engine.exempt import why_pod_exempt
from webhook.engine.judge import Judgement
from webhook.engine.judge import as_refused
from webhook.engine.judge import judge_pod
from webhook.engine.world import World

_SEVERITY_OF_OUTCOMES = (Outcome.INVALID, Outcome.REPAIR, Outcome.WARN, Outcome.ACCEPT)


@dataclass(frozen=True, slots=True)
class _Judged:
    location: PodLocation
    judgement: Judgement


def review(workload: Workload, new: JsonObject, old: JsonObject | None, namespace: str, world: World) -> Decision:
    """Deny what every pod of the object would be denied for, warn about what would be repaired; never patch.

    An update that leaves templates unchanged passes. Objects that a controller owns get audit only: their owner was
    judged. Missing values only warn, because an injector or LimitRange may still fill them into the pods.
    """
    if old is not None and _judged_parts(workload, new) == _judged_parts(workload, old):
        return respond.skip("template unchanged", world.policy)
    modes = world.policy.modes_for(namespace)
    judged = [
        _Judged(location, soften(judge_pod(location.pod, world, modes=modes), location))
        for location in workload.locate(new)
        if why_pod_exempt(location.pod, world) is None
    ]
    labelled = tuple(level_label.find(workload, new))
    own = (*labelled, *_without_pods(workload, new))
    refused = [
        *((one, one.path) for one in labelled),
        *((one, item.location.place(one.path)) for item in judged for one in _hard(item.judgement)),
    ]
    outcome = Outcome.DENY if labelled else Outcome.WARN if own else _outcome(judged)
    findings = (*own, *(finding for item in judged for finding in item.judgement.findings))
    audit = respond.audit(outcome, findings, modes, world.policy)
    if _is_controlled(new):
        return respond.admit(outcome, findings, (), audit)
    if refused and modes.enforce is not Level.NONE:
        return respond.deny(tuple(one for one, _ in refused), audit, tuple(place for _, place in refused))
    warnings = [text for item in judged for text in _warnings(item, modes)]
    return respond.admit(outcome, findings, (*respond.warned(own, modes), *warnings), audit)


def _without_pods(workload: Workload, new: JsonObject) -> Iterator[Finding]:
    """Find that an object leaves its pods to its operator; one that must have a template is refused by its schema."""
    if not workload.required and not workload.is_elsewhere(new) and not any(True for _ in workload.locate(new)):
        yield unseen()


def _is_controlled(obj: JsonObject) -> bool:
    owners = get_list(get_object(obj, "metadata"), "ownerReferences")
    return any(as_object(owner).get("controller") is True for owner in owners)


def _hard(judgement: Judgement) -> Iterator[Finding]:
    """What is refused: where something remains that no repair cures, for values that are there, all enforced faults."""
    hard = [finding for finding in judgement.remaining if finding.code != "missing-resources"]
    if hard:
        yield from hard
        told = {(finding.code, finding.path) for finding in hard}
        rest = (one for one in as_refused(judgement) if (one.code, one.path) not in told)
        yield from (one for one in rest if one.severity is Severity.FAULT)


def _warnings(item: _Judged, modes: Modes) -> Iterator[str]:
    judgement, place = item.judgement, item.location.place
    cured = {edit.code for edit in judgement.edits}
    yield from (messages.would_repair_warning(replace(edit, path=place(edit.path))) for edit in judgement.edits)
    yield from respond.warned((one for one in judgement.findings if one.code not in cured), modes)


def _judged_parts(workload: Workload, obj: JsonObject) -> list[object]:
    """What a verdict depends on: the pod specs and our own keys, and no other metadata."""
    parts: list[object] = [finding.path for finding in level_label.find(workload, obj)]
    for location in workload.locate(obj):
        ours = [
            sorted(
                (key, str(value))
                for key, value in get_object(location.pod, "metadata", section).items()
                if key.startswith(keys.DOMAIN)
            )
            for section in ("labels", "annotations")
        ]
        parts.append((location.pod.get("spec"), ours))
    return parts


def _outcome(judged: list[_Judged]) -> Outcome:
    outcomes = {item.judgement.outcome for item in judged}
    if Outcome.DENY in outcomes:
        return Outcome.WARN if not any(True for item in judged for _ in _hard(item.judgement)) else Outcome.DENY
    return next((outcome for outcome in _SEVERITY_OF_OUTCOMES if outcome in outcomes), Outcome.SKIP)
