"""A RayService: a Ray cluster that serves models with Ray Serve."""

from webhook.domain.workload import Workload
from webhook.workloads._families.ray import cluster

WORKLOAD = Workload(
    name="ray-service",
    group="ray.io",
    versions=("v1", "v1alpha1"),
    kind="RayService",
    resource="rayservices",
    pods=cluster(".spec.rayClusterConfig", labels=(("ray.io/serve", "true"),)),
)
