"""A CronJob: the pod template sits two levels down, in the job template."""

from webhook.domain.pod_count import times
from webhook.domain.workload import Workload
from webhook.domain.workload import template

WORKLOAD = Workload(
    name="cron-job",
    group="batch",
    versions=("v1",),
    kind="CronJob",
    resource="cronjobs",
    pods=(template(".spec.jobTemplate.spec.template", times(".spec.jobTemplate.spec.parallelism")),),
    required=True,
)
