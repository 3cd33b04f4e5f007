"""A Rollout of Argo: a Deployment that is replaced step by step, or stands in for an existing one."""

from webhook.domain.pod_count import times
from webhook.domain.workload import Workload
from webhook.domain.workload import template

WORKLOAD = Workload(
    name="rollout",
    group="argoproj.io",
    versions=("v1alpha1",),
    kind="Rollout",
    resource="rollouts",
    pods=(template(".spec.template", times(".spec.replicas")),),
    elsewhere=("spec", "workloadRef"),
)
