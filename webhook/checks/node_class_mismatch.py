"""Finds a node selector that names other machines than the assumed node class.

What: only an assumed node class is known (lint's default), and the pod selects machines by their accelerator.
Why: the answer holds for the assumed machine; the selected one may have fewer accelerators per NUMA node.
Instead: name the machine with --profile, or declare a NodeProfile for it.
"""

from collections.abc import Iterator

from webhook.domain.check import Check
from webhook.domain.check import Flaw
from webhook.domain.check import Subject
from webhook.domain.finding import Severity
from webhook.domain.levels import Level
from webhook.domain.recognition import selects_accelerator


def find(subject: Subject) -> Iterator[Flaw]:
    """Yield one flaw per selector entry that chooses machines which the assumed class does not declare."""
    assumed = [fit.node_class for fit in subject.fits if fit.node_class.assumed]
    if not assumed:
        return
    for key, value in subject.facts.node_selector.items():
        contradicts = assumed[0].labels.get(key, value) != value
        chooses = key not in assumed[0].labels and selects_accelerator(key, value, subject.policy.recognition)
        if contradicts or chooses:
            yield Flaw(
                path=("spec", "nodeSelector", key),
                message=f"{key}={value} selects other machines than the assumed {assumed[0].name}: "
                "name theirs with --profile",
                actual=value,
            )


CHECK = Check(
    code="node-class-mismatch",
    level=Level.ALIGNED,
    severity=Severity.WARNING,
    remedy="Name the node class of the selected machines with --profile.",
    find=find,
)
