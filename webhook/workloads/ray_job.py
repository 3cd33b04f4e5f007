"""A RayJob: a Ray cluster for one run, and a pod that submits it."""

from webhook.domain.pod_count import ONE
from webhook.domain.workload import Workload
from webhook.domain.workload import template
from webhook.workloads._families.ray import cluster

WORKLOAD = Workload(
    name="ray-job",
    group="ray.io",
    versions=("v1", "v1alpha1"),
    kind="RayJob",
    resource="rayjobs",
    pods=(*cluster(".spec.rayClusterSpec"), template(".spec.submitterPodTemplate", ONE)),
    elsewhere=("spec", "clusterSelector"),
)
