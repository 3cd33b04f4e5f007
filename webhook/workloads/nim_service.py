"""A NIMService: a model in a container of NVIDIA's, without a pod in sight."""

from webhook.domain.workload import Workload
from webhook.workloads._families.nim import service

WORKLOAD = Workload(
    name="nim-service",
    group="apps.nvidia.com",
    versions=("v1alpha1",),
    kind="NIMService",
    resource="nimservices",
    pods=(service(".spec"),),
)
