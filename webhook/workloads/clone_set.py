"""A CloneSet of OpenKruise: a Deployment that can update pods in place."""

from webhook.domain.pod_count import times
from webhook.domain.workload import Workload
from webhook.domain.workload import template

WORKLOAD = Workload(
    name="clone-set",
    group="apps.kruise.io",
    versions=("v1alpha1", "v1beta1"),
    kind="CloneSet",
    resource="clonesets",
    pods=(template(".spec.template", times(".spec.replicas")),),
)
