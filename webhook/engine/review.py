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
from webhook.engine.exempt import requester_of
from webhook.engine.exempt import why_exempt
from webhook.engine.exempt import why_exempt_always
from webhook.engine.exempt import why_mirror
from webhook.engine.kinds import kinds_of
from webhook.engine.kinds import workload_of
from webhook.engine.request import Pass
from webhook.engine.request import Request
from webhook.engine.ruling import NO_POLICY
from webhook.engine.ruling import Ruling
from webhook.engine.ruling import rule
from webhook.engine.world import World


def review(request: Request, world: World) -> Decision:
    """Decide on a request. Pure, and never raises on what an object holds.

    A pod subresource that is not known is judged like an update of the pod, not waved through. Audit annotations come
    from the validating pass alone, which sees the final object.
    """
    decision = _decide(request, world)
    return replace(decision, audit={}) if request.review_pass is Pass.MUTATE else decision


def _decide(request: Request, world: World) -> Decision:
    always = why_exempt_always(request.namespace, world.own_namespace)
    if always is not None:
        return respond.exempt(always)
    if request.object is None or request.operation not in {"CREATE", "UPDATE"}:
        return respond.skip("no new object")
    if (request.group, request.kind) == ("", "Pod"):
        return _review_pod(request, request.object, world)
    if request.review_pass is Pass.MUTATE:
        return respond.skip("not a pod")
    workload = workload_of(request.group, request.version, request.kind, kinds_of(world.policies))
    if workload is None:
        warning = f"numagate does not know kind {request.kind[:60]}: its pods are judged when they are created"
        return respond.admit(Outcome.UNKNOWN, (), [warning], {"decision": "unknown"})
    return templates.review(workload, request, world)


def _review_pod(request: Request, pod: JsonObject, world: World) -> Decision:
    ruling = rule(pod, request.namespace, world)
    if ruling is None:
        return respond.skip(NO_POLICY)
    exemption = why_mirror(request) or why_exempt(pod, ruling, requester_of(request))
    if exemption is not None:
        return respond.exempt(exemption, [ruling.policy])
    return replace(_judge_pod(request, pod, ruling), modes=ruling.modes)


def _judge_pod(request: Request, pod: JsonObject, ruling: Ruling) -> Decision:
    if request.operation == "CREATE" and not request.subresource:
        if request.review_pass is Pass.MUTATE:
            return pods.mutate(essence(pod), ruling)
        return pods.validate(essence(pod), ruling, requester_of(request))
    if request.review_pass is Pass.MUTATE:
        return respond.skip("only new pods are changed", [ruling.policy])
    return _review_change(request, pod, ruling)


def _review_change(request: Request, pod: JsonObject, ruling: Ruling) -> Decision:
    old = request.old_object or {}
    if request.subresource == "ephemeralcontainers":
        return subresources.ephemeral_containers(ruling)
    if request.subresource == "resize":
        return subresources.resize(pod, old, ruling)
    return pods.update(pod, old, ruling)
