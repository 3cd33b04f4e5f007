"""An AdvancedCronJob of OpenKruise: a Job or a BroadcastJob at fixed times."""

from webhook.domain.pod_count import times
from webhook.domain.workload import Workload
from webhook.domain.workload import template

WORKLOAD = Workload(
    name="advanced-cron-job",
    group="apps.kruise.io",
    versions=("v1alpha1", "v1beta1"),
    kind="AdvancedCronJob",
    resource="advancedcronjobs",
    pods=(
        template(".spec.template.jobTemplate.spec.template", times(".spec.template.jobTemplate.spec.parallelism")),
        template(".spec.template.broadcastJobTemplate.spec.template"),
    ),
)
