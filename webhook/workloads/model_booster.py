"""A ModelBooster of Kthena: its workers by image and resources; the rest is made for the model."""

from webhook.domain.loose_container import LooseContainer
from webhook.domain.pod_count import times
from webhook.domain.workload import Workload
from webhook.domain.workload import fields_only

WORKLOAD = Workload(
    name="model-booster",
    group="workload.serving.volcano.sh",
    versions=("v1alpha1",),
    kind="ModelBooster",
    resource="modelboosters",
    pods=(
        fields_only(
            ".spec.backend.workers[*]",
            LooseContainer("worker", resources=("resources",), image=("image",)),
            count=times(".spec.backend.workers[*].replicas", ".spec.backend.workers[*].pods"),
            completed_by="the controller of ModelBoosters",
            labels=(("modelserving.volcano.sh/name", ""),),
        ),
    ),
)
