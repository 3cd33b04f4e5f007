"""Judges pods: the mutating and the validating pass of creation, and later updates."""

from collections.abc import Iterator
from dataclasses import replace

from webhook.domain import jsonpatch
from webhook.domain.finding import Finding
from webhook.domain.finding import Severity
from webhook.domain.levels import Level
from webhook.domain.levels import Modes
from webhook.domain.pod import QOSClass
from webhook.domain.policy import OFF
from webhook.domain.raw import JsonObject
from webhook.domain.raw import get_object
from webhook.domain.raw import get_text
from webhook.engine import messages
from webhook.engine import promise
from webhook.engine import readiness
from webhook.engine import respond
from webhook.engine.decision import Decision
from webhook.engine.decision import Outcome
from webhook.engine.exempt import NOBODY
from webhook.engine.exempt import Requester
from webhook.engine.exempt import ineffective
from webhook.engine.exempt import why_pod_exempt
from webhook.engine.judge import Judgement
from webhook.engine.judge import as_refused
from webhook.engine.judge import judge_pod
from webhook.engine.ruling import Ruling


def mutate(pod: JsonObject, ruling: Ruling) -> Decision:
    """Repair a new pod, write the promise into it, and perhaps a readiness gate that waits for it to be kept.

    Never denies: the validating pass judges the final object.
    """
    return _exempt_by_wish(_mutate(pod, ruling), pod, ruling)


def _mutate(pod: JsonObject, ruling: Ruling) -> Decision:
    if ruling.modes.repair is Level.NONE:
        return Decision(Outcome.SKIP, allowed=True)
    judgement = _judge(pod, ruling, ruling.modes)
    if judgement.outcome is Outcome.INVALID or judgement.remaining:
        return Decision(judgement.outcome, allowed=True, findings=judgement.findings)
    signed = _with_gate(promise.sign(judgement, ruling.policy), judgement, ruling)
    patch = jsonpatch.diff(pod, signed.pod)
    if jsonpatch.apply(pod, patch) != signed.pod:  # a patch that does not apply would be a cluster-wide 500
        return Decision(judgement.outcome, allowed=True, findings=judgement.findings)
    return Decision(
        outcome=judgement.outcome,
        allowed=True,
        warnings=messages.capped((*map(messages.repair_warning, judgement.edits), *signed.warnings)),
        patch=patch,
        findings=judgement.findings,
        repairs=tuple(edit.code for edit in judgement.edits),
    )


def _with_gate(signed: promise.Signed, judgement: Judgement, ruling: Ruling) -> promise.Signed:
    """Let the pod wait with its readiness, where policy and world want it to; tell of one that may wait in vain."""
    if readiness.is_unanswered(judgement):
        return promise.Signed(signed.pod, (*signed.warnings, readiness.UNANSWERED))
    if readiness.state(judgement, ruling.policy) is not readiness.Gate.ADDED:
        return signed
    return promise.Signed(readiness.gated(signed.pod), (*signed.warnings, readiness.WARNING))


def validate(pod: JsonObject, ruling: Ruling, requester: Requester = NOBODY) -> Decision:
    """Judge a new pod as it is, after every mutation: deny, or admit with warnings and audit annotations."""
    return _exempt_by_wish(_validate(pod, ruling, requester), pod, ruling)


def _exempt_by_wish(decision: Decision, pod: JsonObject, ruling: Ruling) -> Decision:
    """Note the use of the exemption that a pod brings; what it may still be refused for is no use of it."""
    exemption = why_pod_exempt(pod, ruling)
    if exemption is None or not decision.allowed:
        return decision
    return replace(decision, audit={**decision.audit, **respond.use_of(exemption)}, exempt_by=exemption.by)


def _validate(pod: JsonObject, ruling: Ruling, requester: Requester) -> Decision:
    modes = ruling.modes
    judgement = _judge(pod, ruling, replace(modes, repair=Level.NONE))
    forged = tuple(promise.forged(judgement, ruling.policy, repairing=modes.repair is not Level.NONE))
    over = tuple(ineffective(pod, ruling, requester)) if judgement.subject.accelerators else ()
    findings = (*judgement.findings, *over, *forged, *_other_class(pod, judgement))
    faults = [finding for finding in findings[len(judgement.findings) :] if finding.severity is Severity.FAULT]
    outcome = Outcome.WARN if faults else judgement.outcome
    audit = respond.audit(
        outcome, findings, modes, [ruling.policy], level=judgement.repaired_level, fits=judgement.subject.fits
    )
    if modes.enforce is not Level.NONE and (judgement.remaining or faults):
        decision = respond.deny((*refused(pod, judgement, ruling), *faults, *over), audit)
    else:
        decision = respond.admit(outcome, findings, respond.warned(findings, modes), audit)
    return replace(decision, level=judgement.repaired_level) if judgement.governed else decision


def update(new: JsonObject, old: JsonObject, ruling: Ruling) -> Decision:
    """Judge an update: the promise stays as it was, and a changed placement must not make the pod unfit."""
    modes = ruling.modes
    findings = tuple(promise.changed(new, old))
    if _placement(new) != _placement(old) and why_pod_exempt(old, ruling) is None:
        before = judge_pod(old, ruling, modes=replace(modes, repair=Level.NONE))
        after = judge_pod(new, ruling, modes=replace(modes, repair=Level.NONE))
        known = {(finding.code, finding.path) for finding in before.remaining}
        findings += tuple(one for one in after.remaining if (one.code, one.path) not in known)
    audit = {"policy": ruling.policy.name}
    if findings and modes.enforce is not Level.NONE:
        return respond.deny(findings, audit)
    outcome = Outcome.WARN if findings else Outcome.ACCEPT
    return respond.admit(outcome, findings, respond.warned(findings, modes), {**audit, "decision": outcome.value})


def _judge(pod: JsonObject, ruling: Ruling, modes: Modes) -> Judgement:
    """Judge a new pod; one that is exempt by its own wish is judged like one that nobody governs."""
    if why_pod_exempt(pod, ruling) is None:
        return judge_pod(pod, ruling, modes=modes)
    judgement = judge_pod(pod, ruling, modes=OFF)
    return replace(judgement, outcome=Outcome.SKIP, governed=False, findings=())


def _other_class(pod: JsonObject, judgement: Judgement) -> Iterator[Finding]:
    """Find a QoS class by which the API server, which has set it by now, knows the pod better than we do.

    The kubelet goes by it (QOS:GetPodQOS). Before Kubernetes 1.37 an empty spec.resources made a pod BestEffort.
    """
    given = get_text(get_object(pod, "status"), "qosClass")
    guaranteed = QOSClass.GUARANTEED
    if judgement.governed and judgement.qos is guaranteed and given not in {"", guaranteed.value}:
        message = f"this API server makes the pod {given}: remove spec.resources, even an empty one"
        path = ("spec", "resources")
        yield Finding("non-guaranteed-qos", Severity.FAULT, Level.GUARANTEED, path, message, None, given, "Guaranteed")


def refused(pod: JsonObject, judgement: Judgement, ruling: Ruling) -> tuple[Finding, ...]:
    """Answer what to tell: faults that a repair would cure come after those that it would not.

    The pod was not repaired because something remains, or because the mutating pass did not see it. Only what remains
    after a repair leads to a pod that is admitted, so that is said first.
    """
    if not judgement.remaining:
        return ()
    repairing = replace(ruling.modes, repair=Level.ALIGNED)
    told = as_refused(judge_pod(pod, ruling, modes=repairing, seen=judgement.subject))
    return tuple(one for one in told if one.severity is not Severity.WARNING and one.level <= ruling.modes.enforce)


def _placement(pod: JsonObject) -> tuple[object, object]:
    spec = get_object(pod, "spec")
    return spec.get("nodeSelector"), spec.get("affinity")
