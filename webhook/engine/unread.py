"""Decides on a request that is too large to be read, from the little that stands at its beginning."""

from collections.abc import Mapping

from webhook.domain.levels import Level
from webhook.domain.policy import Policy
from webhook.engine import respond
from webhook.engine.decision import Decision
from webhook.engine.decision import Outcome
from webhook.engine.exempt import why_exempt
from webhook.engine.exempt import why_exempt_always
from webhook.engine.request import Pass
from webhook.engine.ruling import Ruling
from webhook.engine.ruling import may_match_in
from webhook.engine.ruling import modes_in
from webhook.engine.world import World

_TOO_LARGE = 413


def decide(review_pass: Pass, resource: str, namespace: str, excess: str, world: World) -> Decision:
    """Refuse a pod that a policy might refuse, where the validating pass asks; let everything else pass with a warning.

    A denial holds under failurePolicy Ignore too, so it must not come where no policy in force enforces anything. The
    mutating pass never denies; without its patch the validating pass sees the object as large as it is.
    """
    judged = review_pass is Pass.VALIDATE
    if judged and resource == "pods" and _is_enforced(namespace, world):
        message = f"the review of this pod {excess}, so it cannot be judged: make the pod smaller"
        return Decision(
            outcome=Outcome.DENY, allowed=False, message=message, code=_TOO_LARGE, audit={"decision": "deny"}
        )
    warning = f"numagate cannot read this object: its review {excess}"
    return respond.admit(Outcome.UNKNOWN, (), [warning], {"decision": "unknown"} if judged else {})


def _is_enforced(namespace: str, world: World) -> bool:
    """Tell whether a pod that nobody has seen might be refused in a namespace."""
    if why_exempt_always(namespace, world.own_namespace) is not None:
        return False
    labels = world.namespaces.get(namespace, {})
    return any(_enforces(policy, namespace, labels, world) for policy in world.policies)


def _enforces(policy: Policy, namespace: str, labels: Mapping[str, str], world: World) -> bool:
    modes = modes_in(namespace, policy, labels)
    ruling = Ruling(policy, modes, namespace, world.classes, world.instant)
    wanted = may_match_in(policy.match, namespace, labels) and modes.enforce is not Level.NONE
    return wanted and why_exempt({}, ruling) is None
