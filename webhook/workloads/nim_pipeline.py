"""A NIMPipeline: several NIMServices in one object."""

from webhook.domain.workload import Workload
from webhook.workloads._families.nim import service

WORKLOAD = Workload(
    name="nim-pipeline",
    group="apps.nvidia.com",
    versions=("v1alpha1",),
    kind="NIMPipeline",
    resource="nimpipelines",
    pods=(service(".spec.services[*].spec"),),
)
