"""Groups of one leader and its workers, as LeaderWorkerSets and their relatives have them."""

from webhook.domain.pod_count import Factor
from webhook.domain.pod_count import times
from webhook.domain.pod_path import parse
from webhook.domain.pod_source import PodSource
from webhook.domain.workload import template


def groups(path: str, replicas: str, *, labels: tuple[tuple[str, str], ...] = ()) -> tuple[PodSource, PodSource]:
    """Read the leader's and the workers' template at `path`; without the first, the leader is made of the second."""
    leader = f"{path}.leaderTemplate"
    workers = Factor(parse(f"{path}.size"), less=parse(leader))
    return (
        template(leader, times(replicas), labels=labels),
        template(f"{path}.workerTemplate", (*times(replicas), workers), labels=labels),
    )
