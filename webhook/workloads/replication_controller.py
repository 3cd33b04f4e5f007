"""A ReplicationController: the ReplicaSet of the core group."""

from webhook.domain.workload import Workload

WORKLOAD = Workload(
    name="replication-controller",
    group="",
    versions=("v1",),
    kind="ReplicationController",
    resource="replicationcontrollers",
    templates=(("spec", "template"),),
)
