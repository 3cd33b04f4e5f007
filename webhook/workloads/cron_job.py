"""A CronJob: the pod template sits two levels down, in the job template."""

from webhook.domain.workload import Workload

WORKLOAD = Workload(
    name="cron-job",
    group="batch",
    versions=("v1",),
    kind="CronJob",
    resource="cronjobs",
    templates=(("spec", "jobTemplate", "spec", "template"),),
)
