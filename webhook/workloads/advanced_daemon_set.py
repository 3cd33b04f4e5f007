"""A DaemonSet of OpenKruise, with more ways to roll out."""

from webhook.domain.workload import Workload
from webhook.domain.workload import template

WORKLOAD = Workload(
    name="advanced-daemon-set",
    group="apps.kruise.io",
    versions=("v1alpha1", "v1beta1"),
    kind="DaemonSet",
    resource="daemonsets",
    pods=(template(".spec.template"),),
)
