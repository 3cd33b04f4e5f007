"""The training jobs of Kubeflow: replicas by role, under a name of each kind's own."""

from webhook.domain.pod_count import times
from webhook.domain.workload import Workload
from webhook.domain.workload import template


def training_job(name: str, kind: str, replicas: str, versions: tuple[str, ...] = ("v1",)) -> Workload:
    """Make the kind whose roles lie in the map `.spec.<replicas>`."""
    role = f".spec.{replicas}[*]"
    return Workload(
        name=name,
        group="kubeflow.org",
        versions=versions,
        kind=kind,
        resource=f"{kind.lower()}s",
        pods=(template(f"{role}.template", times(f"{role}.replicas")),),
    )
