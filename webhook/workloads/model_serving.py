"""A ModelServing of Kthena: groups of roles, each with an entry pod and workers."""

from webhook.domain.pod_count import times
from webhook.domain.workload import Workload
from webhook.domain.workload import template

_LABELS = (("modelserving.volcano.sh/name", ""),)
_ROLES = times(".spec.replicas", ".spec.template.roles[*].replicas")
_WORKERS = times(".spec.template.roles[*].workerReplicas", default=None)

WORKLOAD = Workload(
    name="model-serving",
    group="workload.serving.volcano.sh",
    versions=("v1alpha1",),
    kind="ModelServing",
    resource="modelservings",
    pods=(
        template(".spec.template.roles[*].entryTemplate", _ROLES, labels=_LABELS),
        template(".spec.template.roles[*].workerTemplate", (*_ROLES, *_WORKERS), labels=_LABELS),
    ),
)
