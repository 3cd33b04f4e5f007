"""Judges workload objects by their pod templates, when they are applied."""

from collections.abc import Iterable
from collections.abc import Iterator
from dataclasses import dataclass
from dataclasses import replace
from itertools import islice

from webhook.domain import keys
from webhook.domain.finding import Finding
from webhook.domain.finding import Severity
from webhook.domain.levels import Level
from webhook.domain.levels import Modes
from webhook.domain.pod_location import PodLocation
from webhook.domain.policy import OFF
from webhook.domain.raw import JsonObject
from webhook.domain.raw import as_object
from webhook.domain.raw import get_list
from webhook.domain.raw import get_object
from webhook.domain.workload import Workload
from webhook.engine import level_label
from webhook.engine import messages
from webhook.engine import readiness
from webhook.engine import respond
from webhook.engine.completed import soften
from webhook.engine.completed import unseen
from webhook.engine.decision import Decision
from webhook.engine.decision import Outcome
from webhook.engine.exempt import Exemption
from webhook.engine.exempt import Requester
from webhook.engine.exempt import ineffective
from webhook.engine.exempt import requester_of
from webhook.engine.exempt import why_exempt
from webhook.engine.exempt import why_pod_exempt
from webhook.engine.judge import Judgement
from webhook.engine.judge import as_refused
from webhook.engine.judge import judge_pod
from webhook.engine.request import Request
from webhook.engine.ruling import NO_POLICY
from webhook.engine.ruling import Ruling
from webhook.engine.ruling import rule
from webhook.engine.world import World

MAX_TEMPLATES = 128
"""So many pods of one object are judged when it is applied; each pod is judged again when it is created."""

_SEVERITY_OF_OUTCOMES = (Outcome.INVALID, Outcome.REPAIR, Outcome.WARN, Outcome.ACCEPT)


@dataclass(frozen=True, slots=True)
class _Judged:
    location: PodLocation
    ruling: Ruling
    judgement: Judgement


@dataclass(frozen=True, slots=True)
class _About:
    """What holds for the whole object; `alone` means that it has one pod."""

    modes: Modes
    requester: Requester
    controlled: bool
    alone: bool


def review(workload: Workload, request: Request, world: World) -> Decision:
    """Deny what every pod of the object would be denied for, warn about what would be repaired; never patch.

    An update that leaves templates unchanged passes. Objects that a controller owns get audit only: their owner was
    judged. Missing values only warn, because an injector or LimitRange may still fill them into the pods.
    """
    new, old, requester = request.object or {}, request.old_object, requester_of(request)
    if old is not None and _judged_parts(workload, new) == _judged_parts(workload, old):
        return respond.skip("template unchanged")
    located = list(islice(workload.locate(new), MAX_TEMPLATES))
    ruled = [(one, ruling) for one in located if (ruling := rule(one.pod, request.namespace, world)) is not None]
    if located and not ruled:
        return respond.skip(NO_POLICY)
    judged: list[_Judged] = []
    exempt: list[Exemption] = []
    for location, ruling in ruled:
        exemption = why_exempt(location.pod, ruling, requester) or why_pod_exempt(location.pod, ruling)
        if exemption is None:
            judged.append(_Judged(location, ruling, soften(judge_pod(location.pod, ruling), location)))
        else:
            exempt.append(exemption)
    labelled = tuple(level_label.find(workload, new))
    if not located and not labelled:
        return _without_pods(workload, new, request.namespace, world)
    if exempt and not judged and not labelled:
        return respond.exempt(exempt[0], [ruling.policy for _, ruling in ruled])
    modes = _strictest(ruling.modes for _, ruling in ruled)
    about = _About(modes, requester, controlled=_is_controlled(new), alone=len(located) == 1)
    decision = replace(_decide(judged, labelled, about), modes=modes)
    if not exempt or not decision.allowed:
        return decision
    return replace(decision, audit={**decision.audit, **respond.use_of(exempt[0])}, exempt_by=exempt[0].by)


def _without_pods(workload: Workload, new: JsonObject, namespace: str, world: World) -> Decision:
    """Warn of an object that leaves its pods to its operator; the schema refuses one that must have a template."""
    ruling = rule({}, namespace, world)
    if workload.required or workload.is_elsewhere(new) or ruling is None:
        return respond.skip("no pods")
    audit = respond.audit(Outcome.WARN, (unseen(),), ruling.modes, [ruling.policy])
    warnings = () if _is_controlled(new) else respond.warned((unseen(),), ruling.modes)
    return respond.admit(Outcome.WARN, (unseen(),), warnings, audit)


def _decide(judged: list[_Judged], labelled: tuple[Finding, ...], about: _About) -> Decision:
    """Decide by the judgements; `labelled` are findings about the object around the templates."""
    modes, requester = about.modes, about.requester
    refused = [
        *((one, one.path) for one in labelled if modes.enforce is not Level.NONE),
        *((one, item.location.place(one.path)) for item in judged for one in _hard(item)),
    ]
    over = [one for item in judged for one in _expired(item, requester)]
    outcome = Outcome.DENY if labelled else _outcome(judged)
    findings = (*labelled, *(finding for item in judged for finding in item.judgement.findings), *over)
    audit = respond.audit(outcome, findings, modes, [item.ruling.policy for item in judged])
    if about.controlled:
        return respond.admit(outcome, findings, (), audit)
    if refused:
        refused += [(one, item.location.place(one.path)) for item in judged for one in _expired(item, requester)]
        return respond.deny(tuple(one for one, _ in refused), audit, tuple(place for _, place in refused))
    warnings = [text for item in judged for text in _warnings(item, alone=about.alone)]
    return respond.admit(outcome, findings, (*respond.warned((*labelled, *over), modes), *warnings), audit)


def _strictest(modes: Iterable[Modes]) -> Modes:
    """Answer the highest level of each mode: what is said of the whole object goes by these."""
    every = tuple(modes) or (OFF,)
    return Modes(
        enforce=max(one.enforce for one in every),
        repair=max(one.repair for one in every),
        warn=max(one.warn for one in every),
        audit=max(one.audit for one in every),
    )


def _expired(item: _Judged, requester: Requester) -> Iterator[Finding]:
    return ineffective(item.location.pod, item.ruling, requester) if item.judgement.subject.accelerators else iter(())


def _is_controlled(obj: JsonObject) -> bool:
    owners = get_list(get_object(obj, "metadata"), "ownerReferences")
    return any(as_object(owner).get("controller") is True for owner in owners)


def _hard(item: _Judged) -> Iterator[Finding]:
    """What is refused: where something remains that no repair cures, for values that are there, all enforced faults."""
    judgement = item.judgement
    if item.ruling.modes.enforce is Level.NONE:
        return
    hard = [finding for finding in judgement.remaining if finding.code != "missing-resources"]
    if hard:
        yield from hard
        told = {(finding.code, finding.path) for finding in hard}
        rest = (one for one in as_refused(judgement) if (one.code, one.path) not in told)
        yield from (one for one in rest if one.severity is Severity.FAULT)


def _warnings(item: _Judged, *, alone: bool) -> Iterator[str]:
    """Say what is to be mended, and in which pod where the object has several or none in one piece."""
    judgement, place = item.judgement, item.location.place
    scattered = any(path[0] == "spec" for path in item.location.moved)
    where = messages.placed(item.location.root, room=messages.MAX_PLACE) if scattered or not alone else None
    cured = {edit.code for edit in judgement.edits}
    yield from (messages.would_repair_warning(replace(edit, path=place(edit.path)), where) for edit in judgement.edits)
    if _gates(item):
        yield f"{where}: {readiness.TEMPLATE_WARNING}" if where else readiness.TEMPLATE_WARNING
    rest = (one for one in judgement.findings if one.code not in cured)
    beside = None if alone else messages.placed(item.location.root, room=messages.MAX_PLACE_BESIDE_TEXT)
    yield from respond.warned(rest, item.ruling.modes, beside)


def _gates(item: _Judged) -> bool:
    """Tell whether the pods will be made to wait with their readiness."""
    acts = item.ruling.modes.repair is not Level.NONE and item.ruling.modes.warn is not Level.NONE
    return acts and readiness.state(item.judgement, item.ruling.policy) is readiness.Gate.ADDED


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
        return Outcome.WARN if not any(True for item in judged for _ in _hard(item)) else Outcome.DENY
    return next((outcome for outcome in _SEVERITY_OF_OUTCOMES if outcome in outcomes), Outcome.SKIP)
