"""Judges the subresources of a pod that may touch what was promised."""

from webhook.domain import keys
from webhook.domain.expectation import containers_of
from webhook.domain.expectation import decode
from webhook.domain.facts import read
from webhook.domain.finding import Finding
from webhook.domain.finding import Severity
from webhook.domain.levels import Level
from webhook.domain.pod import Container
from webhook.domain.pod import PodFacts
from webhook.domain.raw import JsonObject
from webhook.domain.resources import COMPUTE
from webhook.domain.resources import amount
from webhook.engine import respond
from webhook.engine.decision import Decision
from webhook.engine.decision import Outcome
from webhook.engine.exempt import why_pod_exempt
from webhook.engine.ruling import Ruling
from webhook.engine.subject import Accelerated
from webhook.engine.subject import accelerators_of
from webhook.engine.subject import governs


def resize(new: JsonObject, old: JsonObject, ruling: Ruling) -> Decision:
    """Judge an in-place resize: one that changes a number of the promise is denied, others warn.

    A resize drops changes of metadata, so the promise could not follow it; and a kubelet with the static policies
    answers Infeasible to every resize of a Guaranteed pod (pkg/kubelet/allocation/handlers.go).
    """
    policy, modes = ruling.policy, ruling.modes
    before, after = read(old), read(new)
    accelerators = accelerators_of(before, policy.accelerators)
    governed = governs(before, accelerators, policy) and why_pod_exempt(old, ruling) is None
    findings = _changed_pinning(before, after, accelerators) if governed else ()
    audit = {"policy": policy.name}
    if findings and modes.enforce is not Level.NONE:
        return respond.deny(findings, audit)
    warnings = list(respond.warned(findings, modes))
    if governed and not findings:
        warnings.append("kubelets with static CPU or memory policy answer Infeasible to a resize of a Guaranteed pod")
    outcome = Outcome.WARN if findings else Outcome.ACCEPT
    return respond.admit(outcome, findings, warnings, {**audit, "decision": outcome.value})


def ephemeral_containers(ruling: Ruling) -> Decision:
    """Admit a debug container: it cannot have resources and does not count for the QoS class."""
    return respond.skip("ephemeral containers", [ruling.policy])


def _changed_pinning(before: PodFacts, after: PodFacts, accelerators: Accelerated) -> tuple[Finding, ...]:
    """Find each CPU or memory value whose change would change what the node has pinned for its container."""
    promise = decode(before.annotations.get(keys.ALIGNMENT, ""))
    level = Level.NONE if promise is None else promise.reached
    old_promises, new_promises = containers_of(before, accelerators, level), containers_of(after, accelerators, level)
    old_containers = {container.name: container for container in before.containers}
    return tuple(
        _finding(container, old_containers[container.name], resource)
        for container in after.containers
        if container.name in old_containers and old_promises.get(container.name) != new_promises.get(container.name)
        for resource in COMPUTE
        if amount(container.requests, resource) != amount(old_containers[container.name].requests, resource)
    )


def _finding(container: Container, old: Container, resource: str) -> Finding:
    was, now = amount(old.requests, resource), amount(container.requests, resource)
    return Finding(
        code="resized-promise",
        severity=Severity.FAULT,
        level=Level.EXCLUSIVE,
        path=(*container.path, "resources", "requests", resource),
        message=f"a resize of {resource} from {was} to {now} changes what its node has pinned: recreate the pod",
        container=container.name,
        actual=str(now),
        wanted=str(was),
    )
