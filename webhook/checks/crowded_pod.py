"""Finds a pod with so many containers that it is not simulated.

What: more containers than any model server has; the more kinds of nodes are eligible, the fewer may be.
Why: each container costs time on every kind of node, and an admission request has a few seconds at most.
Instead: fewer containers.
"""

from collections.abc import Iterator

from webhook.domain.check import Check
from webhook.domain.check import Flaw
from webhook.domain.check import Subject
from webhook.domain.finding import Severity
from webhook.domain.levels import Level


def find(subject: Subject) -> Iterator[Flaw]:
    """Yield one flaw where there are too many containers to simulate."""
    count = len(subject.facts.containers)
    yield Flaw(
        path=("spec", "containers"),
        message=f"{count} containers are too many to check: use at most {subject.most_containers}",
        actual=str(count),
        wanted=f"at most {subject.most_containers}",
    )


CHECK = Check(
    code="crowded-pod",
    level=Level.GUARANTEED,
    severity=Severity.INVALID,
    remedy="Use fewer containers.",
    find=find,
    crowded=True,
)
