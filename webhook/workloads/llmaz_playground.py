"""A Playground of llmaz: a model by name, and at most the resources of its server."""

from webhook.domain.loose_container import LooseContainer
from webhook.domain.pod_count import times
from webhook.domain.workload import Workload
from webhook.domain.workload import fields_only

WORKLOAD = Workload(
    name="llmaz-playground",
    group="inference.llmaz.io",
    versions=("v1alpha1",),
    kind="Playground",
    resource="playgrounds",
    pods=(
        fields_only(
            ".spec",
            LooseContainer("model-runner", resources=("backendRuntimeConfig", "resources")),
            count=times(".spec.replicas"),
            completed_by="its backend runtime",
            labels=(("llmaz.io/model-name", ""),),
        ),
    ),
)
