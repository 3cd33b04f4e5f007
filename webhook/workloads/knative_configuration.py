"""A Configuration of Knative: what its revisions are made of, mostly owned by a Service."""

from webhook.domain.workload import Workload
from webhook.domain.workload import template

WORKLOAD = Workload(
    name="knative-configuration",
    group="serving.knative.dev",
    versions=("v1",),
    kind="Configuration",
    resource="configurations",
    pods=(template(".spec.template"),),
)
