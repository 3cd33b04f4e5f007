"""Judges the subresources of a pod that may touch what was promised."""

from webhook.domain.expectation import expect
from webhook.domain.facts import read
from webhook.domain.finding import Finding
from webhook.domain.finding import Severity
from webhook.domain.levels import Level
from webhook.domain.pod import Container
from webhook.domain.policy import Policy
from webhook.domain.raw import JsonObject
from webhook.domain.resources import COMPUTE
from webhook.domain.resources import amount
from webhook.engine import respond
from webhook.engine.decision import Decision
from webhook.engine.decision import Outcome
from webhook.engine.judge import judge_pod
from webhook.engine.subject import accelerators_of
from webhook.engine.world import World


def resize(new: JsonObject, old: JsonObject, namespace: str, world: World) -> Decision:
    """Judge an in-place resize: one that changes a number of the promise is denied, others warn.

    A resize drops changes of metadata, so the promise could not follow it; and a kubelet with the static policies
    answers Infeasible to every resize of a Guaranteed pod (pkg/kubelet/allocation/handlers.go).
    """
    modes = world.policy.modes_for(namespace)
    findings = _broken_promises(new, old, world.policy) if _governed(old, world) else ()
    audit = {"policy": world.policy.name}
    if findings and modes.enforce is not Level.NONE:
        return respond.deny(findings, audit)
    warnings = list(respond.warned(findings, modes))
    if not findings and _governed(old, world):
        warnings.append("kubelets with static CPU or memory policy answer Infeasible to a resize of a Guaranteed pod")
    outcome = Outcome.WARN if findings else Outcome.ACCEPT
    return respond.admit(outcome, findings, warnings, {**audit, "decision": outcome.value})


def ephemeral_containers(world: World) -> Decision:
    """Admit a debug container: it cannot have resources and does not count for the QoS class."""
    return respond.skip("ephemeral containers", world.policy)


def _governed(pod: JsonObject, world: World) -> bool:
    return judge_pod(pod, world, modes=world.policy.modes).governed


def _broken_promises(new: JsonObject, old: JsonObject, policy: Policy) -> tuple[Finding, ...]:
    before, after = (
        expect(
            facts,
            accelerators_of(facts, policy.accelerators),
            level=Level.NONE,
            numa_nodes=1,
            policy=policy.name,
            generation=policy.generation,
        )
        for facts in (read(old), read(new))
    )
    if before.same_shape(after):
        return ()
    old_containers = {container.name: container for container in read(old).containers}
    return tuple(
        _finding(container, old_containers[container.name], resource)
        for container in read(new).containers
        if container.name in old_containers
        and before.containers.get(container.name) != after.containers.get(container.name)
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
        message=f"a resize of {resource} from {was} to {now} breaks what was promised: recreate the pod with it",
        container=container.name,
        actual=str(now),
        wanted=str(was),
    )
