"""A Job: a refused pod is created again and again, so its template is judged at apply time."""

from webhook.domain.pod_count import times
from webhook.domain.workload import Workload
from webhook.domain.workload import template

WORKLOAD = Workload(
    name="job",
    group="batch",
    versions=("v1",),
    kind="Job",
    resource="jobs",
    pods=(template(".spec.template", times(".spec.parallelism")),),
    required=True,
)
