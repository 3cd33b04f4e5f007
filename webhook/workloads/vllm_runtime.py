"""A VLLMRuntime of the vLLM production stack: one flat map of resources for a server, one for its sidecar."""

from webhook.domain.loose_container import LooseContainer
from webhook.domain.own_words import OwnWords
from webhook.domain.pod_count import times
from webhook.domain.workload import Workload
from webhook.domain.workload import fields_only

_FLAT = OwnWords(flat=True)

WORKLOAD = Workload(
    name="vllm-runtime",
    group="production-stack.vllm.ai",
    versions=("v1alpha1",),
    kind="VLLMRuntime",
    resource="vllmruntimes",
    pods=(
        fields_only(
            ".spec.deploymentConfig",
            LooseContainer("vllm", resources=("resources",), image=("image", "name"), words=_FLAT),
            LooseContainer(
                "sidecar", resources=("sidecarConfig", "resources"), words=_FLAT, where=("sidecarConfig", "enabled")
            ),
            count=times(".spec.deploymentConfig.replicas"),
            completed_by="the production stack",
            labels=(("app.kubernetes.io/component", "serving-engine"),),
        ),
    ),
)
