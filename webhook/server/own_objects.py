"""Judges numagate's own objects when they are applied: the whole grammar, which a CRD's schema holds only in part."""

from collections.abc import Sequence

from webhook.domain import api
from webhook.domain.errors import PolicyError
from webhook.engine import messages
from webhook.engine import respond
from webhook.engine.decision import Decision
from webhook.engine.decision import Outcome
from webhook.engine.request import Pass
from webhook.engine.request import Request
from webhook.engine.world import World
from webhook.server.admission import Review
from webhook.sources.policy_object import ended_warnings
from webhook.sources.policy_object import faults
from webhook.sources.policy_object import order_warnings


def with_own_objects(review: Review) -> Review:
    """Answer a review that judges our own objects itself and leaves everything else to `review`."""

    def answer(request: Request, world: World) -> Decision:
        if request.group == api.GROUP and request.review_pass is Pass.VALIDATE:
            return judge(request, world)
        return review(request, world)

    return answer


def judge(request: Request, world: World) -> Decision:
    """Refuse a wrong object, but let its metadata change: finalizers must not depend on what its spec says."""
    new, old = request.object, request.old_object
    if new is None or request.subresource:
        return respond.skip("no new object")
    if old is not None and old.get("spec") == new.get("spec"):
        return respond.skip("the spec did not change")
    found = faults(new, own_namespace=world.own_namespace)
    if found:
        return _refuse(found)
    warnings = (*ended_warnings(new, world.instant), *order_warnings(new, world.policies))
    return respond.admit(Outcome.ACCEPT, (), warnings, {"decision": "accept"})


def _refuse(found: Sequence[PolicyError]) -> Decision:
    lines = [messages.escape(f"{error.field}: {error.reason}") for error in found]
    return Decision(
        outcome=Outcome.INVALID,
        allowed=False,
        message=messages.refusal(lines),
        causes=messages.causes([(error.field, line) for error, line in zip(found, lines, strict=True)]),
        audit={"decision": "invalid"},
    )
