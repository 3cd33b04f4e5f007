"""A RayClusterFleet of AIBrix: Ray clusters, replaced one after the other."""

from webhook.domain.pod_count import times
from webhook.domain.workload import Workload
from webhook.workloads._families.ray import cluster

WORKLOAD = Workload(
    name="ray-cluster-fleet",
    group="orchestration.aibrix.ai",
    versions=("v1alpha1",),
    kind="RayClusterFleet",
    resource="rayclusterfleets",
    pods=cluster(".spec.template.spec", times(".spec.replicas")),
)
