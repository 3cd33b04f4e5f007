"""A StatefulSet: every ordinal's pod is made from `spec.template`."""

from webhook.domain.workload import Workload

WORKLOAD = Workload(
    name="stateful-set",
    group="apps",
    versions=("v1",),
    kind="StatefulSet",
    resource="statefulsets",
    templates=(("spec", "template"),),
)
