"""The grammar of a kind that a policy lists: where objects of somebody's own API keep their pods."""

from collections.abc import Iterable
from typing import Annotated
from typing import TypeAlias

from pydantic import AfterValidator
from pydantic import Field
from pydantic import StringConstraints
from pydantic import model_validator

from webhook.config.schema import Model
from webhook.config.words import shorten
from webhook.domain import pod_path
from webhook.domain.pointer import Path


def _path(text: str) -> str:
    if not pod_path.parse(text):
        message = "'.' is the whole object: write the path of the pod in it"
        raise ValueError(message)
    return text


def _group(group: str) -> str:
    if "." not in group:
        message = f"{shorten(group)} is built in: numagate knows its kinds, only those of operators can be listed"
        raise ValueError(message)
    return group


Group: TypeAlias = Annotated[
    str, StringConstraints(pattern=r"^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$"), AfterValidator(_group)
]
Version: TypeAlias = Annotated[str, StringConstraints(pattern=r"^v[0-9]+((alpha|beta)[0-9]+)?$")]
Kind: TypeAlias = Annotated[str, StringConstraints(pattern=r"^[A-Z][A-Za-z0-9]{0,62}$")]
Resource: TypeAlias = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9]{0,62}$")]
PodPath: TypeAlias = Annotated[str, AfterValidator(_path)]


class WorkloadSpec(Model):
    """One kind, and the paths of its pods."""

    group: Group
    versions: list[Version] = Field(min_length=1)
    kind: Kind
    resource: Resource
    templates: list[PodPath] | None = None
    pod_specs: list[PodPath] | None = None
    replicas: PodPath | None = None

    @model_validator(mode="after")
    def _has_pods(self) -> "WorkloadSpec":
        paths = [*(self.templates or ()), *(self.pod_specs or ())]
        if not paths:
            message = f"{self.kind} has no pods: write templates or podSpecs"
            raise ValueError(message)
        through = _members(pod_path.parse(self.replicas)) if self.replicas else ()
        for path in paths:
            if pod_path.parse(path)[: len(through)] != through:
                message = (
                    f"replicas {self.replicas} goes through {pod_path.write(through)}, but {path} does not: "
                    "the number must stand beside the pods it counts"
                )
                raise ValueError(message)
        return self


def distinct(workloads: list[WorkloadSpec]) -> list[WorkloadSpec]:
    """Refuse a kind that is listed twice in one version."""
    seen: set[tuple[str, str, str]] = set()
    for key in _keys(workloads):
        if key in seen:
            group, version, kind = key
            message = f"{kind} of {group}/{version} is listed twice: put its paths into one entry"
            raise ValueError(message)
        seen.add(key)
    return workloads


def _keys(workloads: list[WorkloadSpec]) -> Iterable[tuple[str, str, str]]:
    return ((one.group, version, one.kind) for one in workloads for version in one.versions)


def _members(path: Path) -> Path:
    """Answer the path up to its last `[*]`."""
    last = max((index for index, step in enumerate(path) if step == pod_path.EACH), default=-1)
    return path[: last + 1]


Workloads: TypeAlias = Annotated[list[WorkloadSpec], AfterValidator(distinct)]
