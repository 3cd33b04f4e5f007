"""An InferenceService of KServe: pod specs written inline, which a serving runtime completes."""

from webhook.domain.workload import Workload
from webhook.workloads._families.kserve import companion
from webhook.workloads._families.kserve import predictor

WORKLOAD = Workload(
    name="inference-service",
    group="serving.kserve.io",
    versions=("v1beta1",),
    kind="InferenceService",
    resource="inferenceservices",
    pods=(
        *predictor(".spec.predictor"),
        companion(".spec.transformer"),
        companion(".spec.explainer"),
        *predictor(".spec.canary[*].predictor"),
    ),
)
