"""A JobSet: several Jobs, each with replicas of its own."""

from webhook.domain.pod_count import times
from webhook.domain.workload import Workload
from webhook.domain.workload import template

WORKLOAD = Workload(
    name="job-set",
    group="jobset.x-k8s.io",
    versions=("v1alpha2",),
    kind="JobSet",
    resource="jobsets",
    pods=(
        template(
            ".spec.replicatedJobs[*].template.spec.template",
            times(".spec.replicatedJobs[*].replicas", ".spec.replicatedJobs[*].template.spec.parallelism"),
        ),
    ),
)
