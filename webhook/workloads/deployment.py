"""A Deployment: its ReplicaSets copy `spec.template`."""

from webhook.domain.workload import Workload

WORKLOAD = Workload(
    name="deployment",
    group="apps",
    versions=("v1",),
    kind="Deployment",
    resource="deployments",
    templates=(("spec", "template"),),
)
