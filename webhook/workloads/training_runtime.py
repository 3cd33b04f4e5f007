"""A TrainingRuntime of Kubeflow: what the TrainJobs of a namespace are made of."""

from webhook.domain.workload import Workload
from webhook.domain.workload import template

WORKLOAD = Workload(
    name="training-runtime",
    group="trainer.kubeflow.org",
    versions=("v1alpha1",),
    kind="TrainingRuntime",
    resource="trainingruntimes",
    pods=(
        template(
            ".spec.template.spec.replicatedJobs[*].template.spec.template",
            completed_by="the TrainJob",
        ),
    ),
)
