"""A Job: a refused pod is created again and again, so its template is judged at apply time."""

from webhook.domain.workload import Workload

WORKLOAD = Workload(
    name="job",
    group="batch",
    versions=("v1",),
    kind="Job",
    resource="jobs",
    templates=(("spec", "template"),),
)
