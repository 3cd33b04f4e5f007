"""An InferenceService of OME: engine, decoder and router, completed by a serving runtime."""

from webhook.domain.workload import Workload
from webhook.workloads._families.ome import components

WORKLOAD = Workload(
    name="ome-inference-service",
    group="ome.io",
    versions=("v1beta1",),
    kind="InferenceService",
    resource="inferenceservices",
    pods=components(("engine", "decoder", "router"), completed_by="the serving runtime", lender=".spec.runtime.name"),
)
