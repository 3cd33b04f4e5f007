"""A StormService of AIBrix: sets of roles, such as prefill and decode, scaled together."""

from webhook.domain.pod_count import times
from webhook.domain.workload import Workload
from webhook.domain.workload import template

WORKLOAD = Workload(
    name="storm-service",
    group="orchestration.aibrix.ai",
    versions=("v1alpha1",),
    kind="StormService",
    resource="stormservices",
    pods=(
        template(
            ".spec.template.spec.roles[*].template",
            times(".spec.replicas", ".spec.template.spec.roles[*].replicas"),
        ),
    ),
)
