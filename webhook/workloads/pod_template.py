"""A PodTemplate: a template of its own, outside any spec."""

from webhook.domain.workload import Workload

WORKLOAD = Workload(
    name="pod-template",
    group="",
    versions=("v1",),
    kind="PodTemplate",
    resource="podtemplates",
    templates=(("template",),),
)
