"""A Deployment: its ReplicaSets copy `spec.template`."""

from webhook.domain.pod_count import times
from webhook.domain.workload import Workload
from webhook.domain.workload import template

WORKLOAD = Workload(
    name="deployment",
    group="apps",
    versions=("v1",),
    kind="Deployment",
    resource="deployments",
    pods=(template(".spec.template", times(".spec.replicas")),),
    required=True,
)
