"""A RoleSet of AIBrix: one set of roles, mostly owned by a StormService."""

from webhook.domain.pod_count import times
from webhook.domain.workload import Workload
from webhook.domain.workload import template

WORKLOAD = Workload(
    name="role-set",
    group="orchestration.aibrix.ai",
    versions=("v1alpha1",),
    kind="RoleSet",
    resource="rolesets",
    pods=(template(".spec.roles[*].template", times(".spec.roles[*].replicas")),),
)
