"""Answers one admission request: the composition root of the engine."""

from dataclasses import replace

from webhook.domain.raw import JsonObject
from webhook.engine import pods
from webhook.engine import respond
from webhook.engine import subresources
from webhook.engine import templates
from webhook.engine.decision import Decision
from webhook.engine.decision import Outcome
from webhook.engine.essence import essence
from webhook.engine.exempt import why_exempt
from webhook.engine.kinds import kinds_of
from webhook.engine.kinds import workload_of
from webhook.engine.request import Pass
from webhook.engine.request import Request
from webhook.engine.world import World


def review(request: Request, world: World) -> Decision:
    """Decide on a request. Pure, and never raises on what an object holds.

    A pod subresource that is not known is judged like an update of the pod, not waved through. Audit annotations come
    from the validating pass alone, which sees the final object.
    """
    decision = _decide(request, world)
    return replace(decision, audit={}) if request.review_pass is Pass.MUTATE else decision


def _decide(request: Request, world: World) -> Decision:
    reason = why_exempt(request, world)
    if reason is not None:
        return respond.skip(reason, world.policy)
    if request.object is None or request.operation not in {"CREATE", "UPDATE"}:
        return respond.skip("no new object", world.policy)
    if (request.group, request.kind) == ("", "Pod"):
        return _review_pod(request, request.object, world)
    if request.review_pass is Pass.MUTATE:
        return respond.skip("not a pod", world.policy)
    workload = workload_of(request.group, request.version, request.kind, kinds_of((world.policy,)))
    if workload is None:
        warning = f"numagate does not know kind {request.kind[:60]}: its pods are judged when they are created"
        return respond.admit(Outcome.UNKNOWN, (), [warning], {"decision": "unknown", "policy": world.policy.name})
    return templates.review(workload, request.object, request.old_object, request.namespace, world)


def _review_pod(request: Request, pod: JsonObject, world: World) -> Decision:
    if request.review_pass is Pass.MUTATE:
        if request.operation == "CREATE" and not request.subresource:
            return pods.mutate(essence(pod), request.namespace, world)
        return respond.skip("only new pods are changed", world.policy)
    if request.operation == "CREATE" and not request.subresource:
        return pods.validate(essence(pod), request.namespace, world)
    old = request.old_object or {}
    if request.subresource == "ephemeralcontainers":
        return subresources.ephemeral_containers(world)
    if request.subresource == "resize":
        return subresources.resize(pod, old, request.namespace, world)
    return pods.update(pod, old, request.namespace, world)
