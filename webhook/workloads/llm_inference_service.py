"""An LLMInferenceService of KServe: pod specs for decode and prefill, over configurations by name."""

from webhook.domain.workload import Workload
from webhook.workloads._families.kserve import llm_pods

WORKLOAD = Workload(
    name="llm-inference-service",
    group="serving.kserve.io",
    versions=("v1alpha2", "v1alpha1"),
    kind="LLMInferenceService",
    resource="llminferenceservices",
    pods=llm_pods(completed_by="its base configurations"),
)
