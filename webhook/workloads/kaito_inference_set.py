"""An InferenceSet of KAITO: equal Workspaces."""

from webhook.domain.pod_count import times
from webhook.domain.workload import Workload
from webhook.domain.workload import template

_LABELS = (("kaito.sh/workspace", ""),)

WORKLOAD = Workload(
    name="kaito-inference-set",
    group="kaito.sh",
    versions=("v1beta1", "v1alpha1"),
    kind="InferenceSet",
    resource="inferencesets",
    pods=(template(".spec.template.inference.template", times(".spec.replicas"), labels=_LABELS),),
)
