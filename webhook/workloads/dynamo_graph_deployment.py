"""A DynamoGraphDeployment: components of a serving graph, with words of its own in v1alpha1."""

from webhook.domain.loose_container import LooseContainer
from webhook.domain.own_words import OwnWords
from webhook.domain.pod_count import times
from webhook.domain.pod_path import parse
from webhook.domain.pod_source import PodSource
from webhook.domain.pointer import Path
from webhook.domain.workload import Workload

_BY = "the Dynamo operator"
_TYPE: Path = ("metadata", "labels", "nvidia.com/dynamo-component-type")

WORKLOAD = Workload(
    name="dynamo-graph-deployment",
    group="nvidia.com",
    versions=("v1beta1", "v1alpha1"),
    kind="DynamoGraphDeployment",
    resource="dynamographdeployments",
    pods=(
        PodSource(
            base=parse(".spec.components[*]"),
            spec=("podTemplate", "spec"),
            metadata=("podTemplate", "metadata"),
            fields=((_TYPE, ("type",)),),
            count=times(".spec.components[*].replicas", ".spec.components[*].multinode.nodeCount"),
            completed_by=_BY,
        ),
        PodSource(
            base=parse(".spec.services[*]"),
            spec=("extraPodSpec",),
            metadata=None,
            fields=(
                (("metadata", "labels"), ("extraPodMetadata", "labels")),
                (("metadata", "annotations"), ("extraPodMetadata", "annotations")),
                (_TYPE, ("componentType",)),
            ),
            containers=(
                LooseContainer(
                    "main", ("extraPodSpec", "mainContainer"), ("resources",), words=OwnWords(), always=True
                ),
            ),
            count=times(".spec.services[*].replicas", ".spec.services[*].multinode.nodeCount"),
            completed_by=_BY,
        ),
    ),
)
