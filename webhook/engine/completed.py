"""What is said of a pod that its operator has yet to complete: absence is no fault there, and never a denial."""

from dataclasses import replace

from webhook.domain.finding import Finding
from webhook.domain.finding import Severity
from webhook.domain.levels import Level
from webhook.domain.pod_location import PodLocation
from webhook.engine.decision import Outcome
from webhook.engine.judge import Judgement

UNSEEN = "unseen-resources"
COMPLETED = "completed-later"
_ABSENT = "missing-resources"
_NO_ACCELERATOR = "unallocated-accelerator"


def soften(judgement: Judgement, location: PodLocation) -> Judgement:
    """Answer the judgement of a pod whose operator may add what is not written; what is written stays as it is judged.

    Where nothing at all is asked for, there is nothing to judge. A pod without accelerators may get them later.
    """
    if location.unseen:
        return replace(judgement, outcome=Outcome.WARN, findings=(unseen(),), remaining=(), edits=())
    if not location.completed_by or judgement.outcome is Outcome.INVALID:
        return judgement
    if not judgement.subject.accelerators and not judgement.subject.facts.claims:
        rest = tuple(one for one in judgement.findings if one.code != _NO_ACCELERATOR)
        return replace(judgement, outcome=Outcome.WARN if rest else Outcome.SKIP, findings=rest)
    absent = [one for one in judgement.findings if one.code == _ABSENT]
    if not absent:
        return judgement
    softened = replace(judgement, findings=(*judgement.findings, _completed(absent[0], location.completed_by)))
    if judgement.outcome is Outcome.DENY and all(one.code == _ABSENT for one in judgement.remaining):
        return replace(softened, outcome=Outcome.WARN, remaining=())
    return softened


def unseen() -> Finding:
    """Say that an operator chooses what its pods ask for."""
    message = "numagate cannot see what the operator will ask for: lint its pods, or --dry-run=server them"
    return Finding(UNSEEN, Severity.WARNING, Level.NONE, ("spec",), message)


def _completed(absent: Finding, by: str) -> Finding:
    message = f"what is missing may still be added by {by}: the pods are judged when they are created"
    return Finding(COMPLETED, Severity.WARNING, Level.NONE, absent.path, message, container=absent.container)
