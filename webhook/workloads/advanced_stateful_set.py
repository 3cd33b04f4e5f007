"""A StatefulSet of OpenKruise, which can update pods in place."""

from webhook.domain.pod_count import times
from webhook.domain.workload import Workload
from webhook.domain.workload import template

WORKLOAD = Workload(
    name="advanced-stateful-set",
    group="apps.kruise.io",
    versions=("v1alpha1", "v1beta1"),
    kind="StatefulSet",
    resource="statefulsets",
    pods=(template(".spec.template", times(".spec.replicas")),),
)
