"""A DaemonSet: one pod of `spec.template` per eligible node."""

from webhook.domain.workload import Workload
from webhook.domain.workload import template

WORKLOAD = Workload(
    name="daemon-set",
    group="apps",
    versions=("v1",),
    kind="DaemonSet",
    resource="daemonsets",
    pods=(template(".spec.template"),),
    required=True,
)
