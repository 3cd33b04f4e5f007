"""A DaemonSet: one pod of `spec.template` per eligible node."""

from webhook.domain.workload import Workload

WORKLOAD = Workload(
    name="daemon-set",
    group="apps",
    versions=("v1",),
    kind="DaemonSet",
    resource="daemonsets",
    templates=(("spec", "template"),),
)
