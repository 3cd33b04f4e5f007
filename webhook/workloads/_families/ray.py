"""The pods of a Ray cluster, wherever its spec is embedded."""

from webhook.domain.pod_count import ONE
from webhook.domain.pod_count import Factor
from webhook.domain.pod_count import times
from webhook.domain.pod_path import parse
from webhook.domain.pod_source import PodSource
from webhook.domain.workload import template


def cluster(
    path: str, clusters: tuple[Factor, ...] = ONE, *, labels: tuple[tuple[str, str], ...] = ()
) -> tuple[PodSource, PodSource]:
    """Read the head and the worker groups of the cluster spec at `path`; an autoscaler fills in unwritten replicas."""
    group = f"{path}.workerGroupSpecs[*]"
    workers = (Factor(parse(f"{group}.replicas"), default=None), *times(f"{group}.numOfHosts"))
    return (
        template(f"{path}.headGroupSpec.template", clusters, labels=labels),
        template(f"{group}.template", (*clusters, *workers), labels=labels),
    )
