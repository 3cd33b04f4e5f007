"""A Job of Volcano: tasks that are scheduled as one gang."""

from webhook.domain.pod_count import times
from webhook.domain.workload import Workload
from webhook.domain.workload import template

WORKLOAD = Workload(
    name="volcano-job",
    group="batch.volcano.sh",
    versions=("v1alpha1",),
    kind="Job",
    resource="jobs",
    pods=(template(".spec.tasks[*].template", times(".spec.tasks[*].replicas")),),
)
