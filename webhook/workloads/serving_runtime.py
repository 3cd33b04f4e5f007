"""A ServingRuntime of KServe: the server that the InferenceServices of a namespace are completed with."""

from webhook.domain.workload import Workload
from webhook.workloads._families.kserve import runtime

WORKLOAD = Workload(
    name="serving-runtime",
    group="serving.kserve.io",
    versions=("v1alpha1",),
    kind="ServingRuntime",
    resource="servingruntimes",
    pods=(runtime(".spec"), runtime(".spec.workerSpec")),
)
