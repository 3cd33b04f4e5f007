"""A BroadcastJob of OpenKruise: one pod on every node, run to its end."""

from webhook.domain.workload import Workload
from webhook.domain.workload import template

WORKLOAD = Workload(
    name="broadcast-job",
    group="apps.kruise.io",
    versions=("v1alpha1", "v1beta1"),
    kind="BroadcastJob",
    resource="broadcastjobs",
    pods=(template(".spec.template"),),
)
