"""A Service of Knative: pods that scale with their requests, also to none."""

from webhook.domain.workload import Workload
from webhook.domain.workload import template

WORKLOAD = Workload(
    name="knative-service",
    group="serving.knative.dev",
    versions=("v1",),
    kind="Service",
    resource="services",
    pods=(template(".spec.template"),),
)
