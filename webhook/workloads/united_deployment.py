"""A UnitedDeployment of OpenKruise: one of four workloads, spread over subsets of nodes."""

from webhook.domain.pod_count import times
from webhook.domain.workload import Workload
from webhook.domain.workload import template

WORKLOAD = Workload(
    name="united-deployment",
    group="apps.kruise.io",
    versions=("v1alpha1", "v1beta1"),
    kind="UnitedDeployment",
    resource="uniteddeployments",
    pods=tuple(
        template(f".spec.template.{one}.spec.template", times(".spec.replicas"))
        for one in ("statefulSetTemplate", "advancedStatefulSetTemplate", "cloneSetTemplate", "deploymentTemplate")
    ),
)
