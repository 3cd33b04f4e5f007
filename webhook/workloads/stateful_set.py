"""A StatefulSet: every ordinal's pod is made from `spec.template`."""

from webhook.domain.pod_count import times
from webhook.domain.workload import Workload
from webhook.domain.workload import template

WORKLOAD = Workload(
    name="stateful-set",
    group="apps",
    versions=("v1",),
    kind="StatefulSet",
    resource="statefulsets",
    pods=(template(".spec.template", times(".spec.replicas")),),
    required=True,
)
