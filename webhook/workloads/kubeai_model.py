"""A Model of KubeAI: its resources stand in a profile of the operator, by name and number."""

from webhook.domain.loose_container import LooseContainer
from webhook.domain.workload import Workload
from webhook.domain.workload import fields_only

WORKLOAD = Workload(
    name="kubeai-model",
    group="kubeai.org",
    versions=("v1",),
    kind="Model",
    resource="models",
    pods=(fields_only(".spec", LooseContainer("server", image=("image",)), completed_by="its resource profile"),),
)
