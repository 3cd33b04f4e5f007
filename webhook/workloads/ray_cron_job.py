"""A RayCronJob: a RayJob at fixed times."""

from webhook.domain.pod_count import ONE
from webhook.domain.workload import Workload
from webhook.domain.workload import template
from webhook.workloads._families.ray import cluster

WORKLOAD = Workload(
    name="ray-cron-job",
    group="ray.io",
    versions=("v1",),
    kind="RayCronJob",
    resource="raycronjobs",
    pods=(*cluster(".spec.jobTemplate.rayClusterSpec"), template(".spec.jobTemplate.submitterPodTemplate", ONE)),
)
