"""A ModelService of llm-d: containers for prefill and decode, over what a ConfigMap holds."""

from webhook.domain.pod_count import times
from webhook.domain.workload import Workload
from webhook.domain.workload import pod_spec

WORKLOAD = Workload(
    name="model-service",
    group="llm-d.ai",
    versions=("v1alpha1",),
    kind="ModelService",
    resource="modelservices",
    pods=tuple(
        pod_spec(
            f".spec.{role}",
            times(f".spec.{role}.replicas"),
            completed_by="its base configuration",
            labels=(("llm-d.ai/role", role),),
        )
        for role in ("prefill", "decode")
    ),
)
