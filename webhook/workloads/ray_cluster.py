"""A RayCluster: a head, and groups of workers that mostly hold the accelerators."""

from webhook.domain.workload import Workload
from webhook.workloads._families.ray import cluster

WORKLOAD = Workload(
    name="ray-cluster",
    group="ray.io",
    versions=("v1", "v1alpha1"),
    kind="RayCluster",
    resource="rayclusters",
    pods=cluster(".spec"),
)
