"""The grammar of a kind that a policy lists: where objects of somebody's own API keep their pods."""

from typing import Annotated
from typing import ClassVar
from typing import TypeAlias

from pydantic import Field

from webhook.config.rules import Rule
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


def _has_pods(workload: "WorkloadSpec") -> None:
    paths = [*(workload.templates or ()), *(workload.pod_specs or ())]
    if not paths:
        message = f"{workload.kind} has no pods: write templates or podSpecs"
        raise ValueError(message)
    through = _members(pod_path.parse(workload.replicas)) if workload.replicas else ()
    for path in paths:
        if pod_path.parse(path)[: len(through)] != through:
            message = (
                f"replicas {workload.replicas} goes through {pod_path.write(through)}, but {path} does not: "
                "the number must stand beside the pods it counts"
            )
            raise ValueError(message)


def _members(path: Path) -> Path:
    """Answer the path up to its last `[*]`."""
    last = max((index for index, step in enumerate(path) if step == pod_path.EACH), default=-1)
    return path[: last + 1]


def _distinct(workloads: list["WorkloadSpec"]) -> list["WorkloadSpec"]:
    seen: set[tuple[str, str, str]] = set()
    for one in workloads:
        for version in one.versions:
            if (one.group, version, one.kind) in seen:
                message = f"{one.kind} of {one.group}/{version} is listed twice: put its paths into one entry"
                raise ValueError(message)
            seen.add((one.group, version, one.kind))
    return workloads


Group: TypeAlias = Annotated[
    str,
    Field(max_length=253, pattern=r"^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$"),
    Rule(
        _group,
        "self.contains('.')",
        "must be the API group of an operator: built-in kinds are known",
    ),
]
Version: TypeAlias = Annotated[str, Field(max_length=32, pattern=r"^v[0-9]+((alpha|beta)[0-9]+)?$")]
Kind: TypeAlias = Annotated[str, Field(max_length=63, pattern=r"^[A-Z][A-Za-z0-9]*$")]
Resource: TypeAlias = Annotated[str, Field(max_length=63, pattern=r"^[a-z][a-z0-9]*$")]
PodPath: TypeAlias = Annotated[
    str,
    Field(max_length=256),
    Rule(
        _path,
        r"self.matches('^([.][A-Za-z][A-Za-z0-9_-]*([[][*][]])?)+$')",
        "must be field names like .spec.roles[*].template, [*] for every member",
    ),
]
Paths: TypeAlias = Annotated[list[PodPath], Field(max_length=32)]


class WorkloadSpec(Model):
    """One kind, and the paths of its pods."""

    together: ClassVar[tuple[Rule, ...]] = (
        Rule(
            _has_pods,
            "has(self.templates) && size(self.templates) > 0 || has(self.podSpecs) && size(self.podSpecs) > 0",
            "has no pods: write templates or podSpecs",
        ),
    )

    group: Group
    """API group."""
    versions: Annotated[list[Version], Field(min_length=1, max_length=8)]
    """Versions of the API that the paths hold for."""
    kind: Kind
    """Kind."""
    resource: Resource
    """Its plural, as in kubectl get: webhook rules name it."""
    templates: Paths | None = None
    """Paths of PodTemplateSpecs, which have metadata and spec."""
    pod_specs: Paths | None = None
    """Paths of bare PodSpecs."""
    replicas: PodPath | None = None
    """Path of the number of such pods."""


Workloads: TypeAlias = Annotated[
    list[WorkloadSpec],
    Field(max_length=16),
    Rule(
        _distinct,
        "self.all(a, self.exists_one(b, b.group == a.group && b.kind == a.kind && "
        "b.versions.exists(v, v in a.versions)))",
        "lists a kind twice in one version: put its paths into one entry",
    ),
]
