"""Finds a `numagate.io/numa-nodes` annotation that is no number of NUMA nodes.

What: a value that is not a whole number from 1 to 64.
Why: a value that cannot be read would silently mean the default, one NUMA node.
Instead: a decimal number in quotes, such as "2".
"""

from collections.abc import Iterator

from webhook.domain import keys
from webhook.domain.check import Check
from webhook.domain.check import Flaw
from webhook.domain.check import Subject
from webhook.domain.finding import Severity
from webhook.domain.levels import Level
from webhook.domain.numa_nodes import MAXIMUM
from webhook.domain.numa_nodes import parse


def find(subject: Subject) -> Iterator[Flaw]:
    """Yield one flaw where the annotation is there and cannot be read."""
    text = subject.facts.annotations.get(keys.NUMA_NODES)
    if text is not None and parse(text) is None:
        yield Flaw(
            path=("metadata", "annotations", keys.NUMA_NODES),
            message=f"{keys.NUMA_NODES} is not a whole number from 1 to {MAXIMUM}: write one, or remove the annotation",
            actual=text[:32],
            wanted=f"1 to {MAXIMUM}",
        )


CHECK = Check(
    code="malformed-numa-nodes",
    level=Level.GUARANTEED,
    severity=Severity.FAULT,
    remedy='Write a whole number in quotes, such as "2".',
    find=find,
)
