"""A Service of llmaz: a LeaderWorkerSet that it makes as soon as the models are known."""

from webhook.domain.workload import Workload
from webhook.workloads._families.lws import groups

WORKLOAD = Workload(
    name="llmaz-service",
    group="inference.llmaz.io",
    versions=("v1alpha1",),
    kind="Service",
    resource="services",
    pods=groups(".spec.workloadTemplate", ".spec.replicas", labels=(("llmaz.io/model-name", ""),)),
)
