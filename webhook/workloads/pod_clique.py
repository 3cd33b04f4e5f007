"""A PodClique of Grove: equal pods of one role, mostly owned by a PodCliqueSet."""

from webhook.domain.pod_count import times
from webhook.domain.workload import Workload
from webhook.domain.workload import pod_spec

WORKLOAD = Workload(
    name="pod-clique",
    group="grove.io",
    versions=("v1alpha1",),
    kind="PodClique",
    resource="podcliques",
    pods=(pod_spec(".spec.podSpec", times(".spec.replicas")),),
)
