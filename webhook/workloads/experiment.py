"""An Experiment of Argo Rollouts: variants that run side by side for a while."""

from webhook.domain.pod_count import times
from webhook.domain.workload import Workload
from webhook.domain.workload import template

WORKLOAD = Workload(
    name="experiment",
    group="argoproj.io",
    versions=("v1alpha1",),
    kind="Experiment",
    resource="experiments",
    pods=(template(".spec.templates[*].template", times(".spec.templates[*].replicas")),),
)
