"""The kinds that carry pods: those of the registry, and those that a policy lists."""

from collections.abc import Iterable
from collections.abc import Sequence

import webhook.workloads
from webhook import registry
from webhook.domain.policy import Policy
from webhook.domain.workload import Workload

REGISTERED: tuple[Workload, ...] = registry.load(webhook.workloads, "WORKLOAD", Workload)


def kinds_of(policies: Iterable[Policy], registered: Sequence[Workload] = REGISTERED) -> tuple[Workload, ...]:
    """Answer every kind that is known, those of the policies first: they win over numagate's own."""
    return (*(workload for policy in policies for workload in policy.workloads), *registered)


def workload_of(group: str, version: str, kind: str, workloads: Sequence[Workload]) -> Workload | None:
    """Find the kind of workload that an object is, None where it is unknown; of several that know it, the first."""
    for workload in workloads:
        if workload.kind == kind and workload.group == group and version in workload.versions:
            return workload
    return None
