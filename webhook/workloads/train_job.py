"""A TrainJob of Kubeflow: its runtime holds the pods, and it says what each node asks for."""

from webhook.domain.loose_container import LooseContainer
from webhook.domain.pod_count import times
from webhook.domain.workload import Workload
from webhook.domain.workload import fields_only
from webhook.domain.workload import template

_BY = "its training runtime"

WORKLOAD = Workload(
    name="train-job",
    group="trainer.kubeflow.org",
    versions=("v1alpha1",),
    kind="TrainJob",
    resource="trainjobs",
    pods=(
        fields_only(
            ".spec.trainer",
            LooseContainer("node", resources=("resourcesPerNode",), image=("image",)),
            count=times(".spec.trainer.numNodes", default=None),
            completed_by=_BY,
        ),
        template(
            ".spec.runtimePatches[*].trainingRuntimeSpec.template.spec.replicatedJobs[*].template.spec.template",
            completed_by=_BY,
        ),
    ),
)
