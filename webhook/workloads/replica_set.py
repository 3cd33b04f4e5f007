"""A ReplicaSet: mostly owned by a Deployment, then audited only; judged in full where it stands alone."""

from webhook.domain.pod_count import times
from webhook.domain.workload import Workload
from webhook.domain.workload import template

WORKLOAD = Workload(
    name="replica-set",
    group="apps",
    versions=("v1",),
    kind="ReplicaSet",
    resource="replicasets",
    pods=(template(".spec.template", times(".spec.replicas")),),
    required=True,
)
