"""A PodSet of AIBrix: the pods that serve one replica of a role over several nodes."""

from webhook.domain.pod_count import times
from webhook.domain.workload import Workload
from webhook.domain.workload import template

WORKLOAD = Workload(
    name="pod-set",
    group="orchestration.aibrix.ai",
    versions=("v1alpha1",),
    kind="PodSet",
    resource="podsets",
    pods=(template(".spec.template", times(".spec.podGroupSize")),),
)
