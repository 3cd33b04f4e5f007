"""A PodTemplate: a template of its own, outside any spec."""

from webhook.domain.workload import Workload
from webhook.domain.workload import template

WORKLOAD = Workload(
    name="pod-template",
    group="",
    versions=("v1",),
    kind="PodTemplate",
    resource="podtemplates",
    pods=(template(".template"),),
    required=True,
)
