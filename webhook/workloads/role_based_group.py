"""A RoleBasedGroup: roles of one service, each in a pattern of its own."""

from webhook.domain.pod_count import times
from webhook.domain.workload import Workload
from webhook.domain.workload import template

_ROLE = ".spec.roles[*]"
_REPLICAS = f"{_ROLE}.replicas"

WORKLOAD = Workload(
    name="role-based-group",
    group="workloads.x-k8s.io",
    versions=("v1alpha2", "v1alpha1"),
    kind="RoleBasedGroup",
    resource="rolebasedgroups",
    pods=(
        template(f"{_ROLE}.standalonePattern.template", times(_REPLICAS)),
        template(f"{_ROLE}.leaderWorkerPattern.template", times(_REPLICAS, f"{_ROLE}.leaderWorkerPattern.size")),
        template(f"{_ROLE}.customComponentsPattern.components[*].template"),
        template(f"{_ROLE}.template", times(_REPLICAS, f"{_ROLE}.leaderWorkerSet.size")),
        template(".spec.roleTemplates[*].template"),
    ),
)
