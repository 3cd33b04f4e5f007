"""A ReplicaSet: mostly owned by a Deployment, then audited only; judged in full where it stands alone."""

from webhook.domain.workload import Workload

WORKLOAD = Workload(
    name="replica-set",
    group="apps",
    versions=("v1",),
    kind="ReplicaSet",
    resource="replicasets",
    templates=(("spec", "template"),),
)
