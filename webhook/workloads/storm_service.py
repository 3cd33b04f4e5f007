"""A StormService of AIBrix: sets of roles, such as prefill and decode, scaled together."""

from webhook.domain.pod_count import times
from webhook.domain.workload import Workload
from webhook.domain.workload import template

_ROLE = ".spec.template.spec.roles[*]"

WORKLOAD = Workload(
    name="storm-service",
    group="orchestration.aibrix.ai",
    versions=("v1alpha1",),
    kind="StormService",
    resource="stormservices",
    pods=(
        template(
            f"{_ROLE}.template",
            times(".spec.replicas", f"{_ROLE}.replicas"),
            labels=(("storm-service-name", ""),),
        ),
    ),
)
