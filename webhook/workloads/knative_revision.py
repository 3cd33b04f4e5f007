"""A Revision of Knative: the object itself is the template."""

from webhook.domain.workload import Workload
from webhook.domain.workload import template

WORKLOAD = Workload(
    name="knative-revision",
    group="serving.knative.dev",
    versions=("v1",),
    kind="Revision",
    resource="revisions",
    pods=(template("."),),
)
