"""A LeaderWorkerSet: groups of a leader and workers, which serve one model together."""

from webhook.domain.workload import Workload
from webhook.workloads._families.lws import groups

WORKLOAD = Workload(
    name="leader-worker-set",
    group="leaderworkerset.x-k8s.io",
    versions=("v1",),
    kind="LeaderWorkerSet",
    resource="leaderworkersets",
    pods=groups(".spec.leaderWorkerTemplate", ".spec.replicas"),
)
