"""A Workspace of KAITO: mostly a preset by name, rarely a template, both at the root of the object."""

from webhook.domain.pod_count import times
from webhook.domain.workload import Workload
from webhook.domain.workload import template

WORKLOAD = Workload(
    name="kaito-workspace",
    group="kaito.sh",
    versions=("v1beta1", "v1alpha1"),
    kind="Workspace",
    resource="workspaces",
    pods=(template(".inference.template", times(".resource.count"), labels=(("kaito.sh/workspace", ""),)),),
)
