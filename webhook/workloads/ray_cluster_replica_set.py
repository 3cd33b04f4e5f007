"""A RayClusterReplicaSet of AIBrix: equal Ray clusters, mostly owned by a fleet."""

from webhook.domain.pod_count import times
from webhook.domain.workload import Workload
from webhook.workloads._families.ray import cluster

WORKLOAD = Workload(
    name="ray-cluster-replica-set",
    group="orchestration.aibrix.ai",
    versions=("v1alpha1",),
    kind="RayClusterReplicaSet",
    resource="rayclusterreplicasets",
    pods=cluster(".spec.template.spec", times(".spec.replicas")),
)
