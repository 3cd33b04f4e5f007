"""An LLMInferenceServiceConfig of KServe: a base that LLMInferenceServices are written over."""

from webhook.domain.workload import Workload
from webhook.workloads._families.kserve import llm_pods

WORKLOAD = Workload(
    name="llm-inference-service-config",
    group="serving.kserve.io",
    versions=("v1alpha2", "v1alpha1"),
    kind="LLMInferenceServiceConfig",
    resource="llminferenceserviceconfigs",
    pods=llm_pods(completed_by="the LLMInferenceService"),
)
