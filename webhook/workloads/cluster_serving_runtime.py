"""A ClusterServingRuntime of KServe: the server that InferenceServices anywhere are completed with."""

from webhook.domain.workload import Workload
from webhook.workloads._families.kserve import runtime

WORKLOAD = Workload(
    name="cluster-serving-runtime",
    group="serving.kserve.io",
    versions=("v1alpha1",),
    kind="ClusterServingRuntime",
    resource="clusterservingruntimes",
    pods=(runtime(".spec"), runtime(".spec.workerSpec")),
    namespaced=False,
)
