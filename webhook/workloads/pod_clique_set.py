"""A PodCliqueSet of Grove: cliques of equal pods that start and scale together."""

from webhook.domain.pod_count import times
from webhook.domain.workload import Workload
from webhook.domain.workload import pod_spec

WORKLOAD = Workload(
    name="pod-clique-set",
    group="grove.io",
    versions=("v1alpha1",),
    kind="PodCliqueSet",
    resource="podcliquesets",
    pods=(
        # Scaling groups multiply some cliques again: where there are any, nobody counts here.
        pod_spec(
            ".spec.template.cliques[*].spec.podSpec",
            times(".spec.replicas", ".spec.template.cliques[*].spec.replicas", ".spec.template.podCliqueScalingGroups"),
        ),
    ),
)
