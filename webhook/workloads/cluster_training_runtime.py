"""A ClusterTrainingRuntime of Kubeflow: what the TrainJobs of all namespaces are made of."""

from webhook.domain.workload import Workload
from webhook.domain.workload import template

WORKLOAD = Workload(
    name="cluster-training-runtime",
    group="trainer.kubeflow.org",
    versions=("v1alpha1",),
    kind="ClusterTrainingRuntime",
    resource="clustertrainingruntimes",
    pods=(
        template(
            ".spec.template.spec.replicatedJobs[*].template.spec.template",
            completed_by="the TrainJob",
        ),
    ),
    namespaced=False,
)
