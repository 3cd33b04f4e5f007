"""A Pod: the object itself is the template, the only kind that is enforced and repaired."""

from webhook.domain.workload import Workload

WORKLOAD = Workload(
    name="pod",
    group="",
    versions=("v1",),
    kind="Pod",
    resource="pods",
    templates=((),),
)
