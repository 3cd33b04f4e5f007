"""The readiness gate: a pod takes traffic only once the agent on its node has found it as promised.

It is given only where somebody will answer: where an agent was heard lately on every node of every class that the pod
may go to. A gate that nobody answers would keep the pod out of service for good.
"""

from enum import Enum
from typing import Final

from webhook.domain import keys
from webhook.domain.levels import Level
from webhook.domain.pointer import Path
from webhook.domain.policy import Policy
from webhook.domain.raw import JsonObject
from webhook.domain.raw import as_object
from webhook.domain.raw import get_object
from webhook.domain.raw import get_text
from webhook.domain.rewrite import set_value
from webhook.engine.judge import Judgement

_GATES: Final[Path] = ("spec", "readinessGates")
WARNING: Final = f"readiness gate {keys.ALIGNED} added: the pod is ready once the agent on its node finds it aligned"
UNANSWERED: Final = f"readiness gate {keys.ALIGNED}: no agent is heard on some nodes that the pod may go to"
TEMPLATE_WARNING: Final = f"its pods get the readiness gate {keys.ALIGNED}: ready once an agent finds them aligned"


class Gate(Enum):
    """What becomes of the readiness gate of a pod that the policy wants one for."""

    ADDED = "added"
    PRESENT = "present"
    UNVERIFIED = "unverified"


def state(judgement: Judgement, policy: Policy) -> Gate | None:
    """Answer what the mutating pass does about the gate; None where the policy wants none, or the pod earns none.

    Below level exclusive nothing was promised that an agent could look for.
    """
    if not policy.verification.readiness_gate or not judgement.governed or judgement.remaining:
        return None
    if judgement.repaired_level < Level.EXCLUSIVE:
        return None
    if _is_there(judgement.repaired):
        return Gate.PRESENT
    return Gate.ADDED if _is_answered(judgement) else Gate.UNVERIFIED


def is_unanswered(judgement: Judgement) -> bool:
    """Tell a pod that has the gate, whoever wrote it, and may go where nobody would answer it."""
    return _is_there(judgement.repaired) and bool(judgement.subject.accelerators) and not _is_answered(judgement)


def unverified(judgement: Judgement) -> tuple[str, ...]:
    """Name the classes that the pod may go to and where nobody would verify it."""
    return tuple(fit.node_class.name for fit in judgement.subject.fits if not fit.node_class.verified)


def gated(pod: JsonObject) -> JsonObject:
    """Answer the pod with the gate behind those that it has; one whose gates are no list is left to the API server."""
    gates = get_object(pod, "spec").get("readinessGates")
    if gates is not None and not isinstance(gates, list):
        return pod
    return as_object(set_value(pod, _GATES, [*(gates or ()), {"conditionType": keys.ALIGNED}]))


def _is_answered(judgement: Judgement) -> bool:
    return bool(judgement.subject.fits) and not unverified(judgement)


def _is_there(pod: JsonObject) -> bool:
    gates = get_object(pod, "spec").get("readinessGates")
    return isinstance(gates, list) and any(get_text(gate, "conditionType") == keys.ALIGNED for gate in gates)
