"""A PodCliqueSet of Grove: cliques of equal pods that start and scale together."""

from webhook.domain.pod_count import Factor
from webhook.domain.pod_count import times
from webhook.domain.pod_path import parse
from webhook.domain.workload import Workload
from webhook.domain.workload import pod_spec

_CLIQUE = ".spec.template.cliques[*].spec"
# Scaling groups multiply some cliques again: where there are any, nobody counts here.
_SETS = Factor(parse(".spec.replicas"), unless=parse(".spec.template.podCliqueScalingGroups"))

WORKLOAD = Workload(
    name="pod-clique-set",
    group="grove.io",
    versions=("v1alpha1",),
    kind="PodCliqueSet",
    resource="podcliquesets",
    pods=(pod_spec(f"{_CLIQUE}.podSpec", (_SETS, *times(f"{_CLIQUE}.replicas"))),),
)
