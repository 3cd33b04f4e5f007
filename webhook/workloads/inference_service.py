"""An InferenceService of KServe: pod specs written inline, which a serving runtime completes."""

from webhook.domain.workload import Workload
from webhook.workloads._families.kserve import component

WORKLOAD = Workload(
    name="inference-service",
    group="serving.kserve.io",
    versions=("v1beta1",),
    kind="InferenceService",
    resource="inferenceservices",
    pods=(
        component(".spec.predictor"),
        component(".spec.predictor", worker=True),
        component(".spec.transformer"),
        component(".spec.explainer"),
        component(".spec.canary[*].predictor"),
    ),
)
