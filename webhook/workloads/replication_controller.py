"""A ReplicationController: the ReplicaSet of the core group."""

from webhook.domain.pod_count import times
from webhook.domain.workload import Workload
from webhook.domain.workload import template

WORKLOAD = Workload(
    name="replication-controller",
    group="",
    versions=("v1",),
    kind="ReplicationController",
    resource="replicationcontrollers",
    pods=(template(".spec.template", times(".spec.replicas")),),
    required=True,
)
