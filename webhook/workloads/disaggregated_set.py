"""A DisaggregatedSet: one LeaderWorkerSet for each role, such as prefill and decode."""

from webhook.domain.workload import Workload
from webhook.workloads._families.lws import groups

WORKLOAD = Workload(
    name="disaggregated-set",
    group="disaggregatedset.x-k8s.io",
    versions=("v1",),
    kind="DisaggregatedSet",
    resource="disaggregatedsets",
    pods=groups(".spec.roles[*].spec.leaderWorkerTemplate", ".spec.roles[*].spec.replicas"),
)
