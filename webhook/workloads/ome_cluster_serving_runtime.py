"""A ClusterServingRuntime of OME: the server that InferenceServices anywhere are completed with."""

from webhook.domain.workload import Workload
from webhook.domain.workload import pod_spec
from webhook.workloads._families.ome import LABELS
from webhook.workloads._families.ome import components

_BY = "the InferenceService"
_CONFIGS = ("engineConfig", "decoderConfig", "routerConfig")

WORKLOAD = Workload(
    name="ome-cluster-serving-runtime",
    group="ome.io",
    versions=("v1beta1",),
    kind="ClusterServingRuntime",
    resource="clusterservingruntimes",
    pods=(*components(_CONFIGS, completed_by=_BY), pod_spec(".spec", completed_by=_BY, labels=LABELS)),
    namespaced=False,
)
