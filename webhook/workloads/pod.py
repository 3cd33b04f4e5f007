"""A Pod: the object itself is the template, the only kind that is enforced and repaired."""

from webhook.domain.pod_count import ONE
from webhook.domain.workload import Workload
from webhook.domain.workload import template

WORKLOAD = Workload(
    name="pod",
    group="",
    versions=("v1",),
    kind="Pod",
    resource="pods",
    pods=(template(".", ONE),),
    required=True,
)
