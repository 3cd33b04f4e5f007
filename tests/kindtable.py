"""Reads the table of samples: every kind that carries pods, with objects that are accepted, repaired and refused.

The table is data (tests/cases/kinds/samples.yaml). Lint and the service judge its objects as they are; so does an API
server that has the kinds.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import yaml
from caseobjects import Object
from caseobjects import copied

TABLE = Path(__file__).parent / "cases" / "kinds" / "samples.yaml"
AMOUNTS: Mapping[str, tuple[str, str, str]] = {
    "accepted": ("8", "32Gi", "1"),
    "repaired": ("7", "32Gi", "1"),
    "refused": ("16", "64Gi", "8"),
}
"""CPU, memory and accelerators of the container in each kind of sample, judged on generic-2x4."""


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """One kind in one version; `objects` by what becomes of them, among "accepted", "repaired", "refused", "unseen".

    `pods` maps the place of each pod to how many the object makes. `cpu` is where the first one's CPU limit is written.
    `elsewhere` is an object whose pods come from another one.
    """

    name: str
    api_version: str
    kind: str
    pods: Mapping[str, int | None]
    cpu: str
    objects: Mapping[str, Object]
    elsewhere: Object | None

    @property
    def id(self) -> str:
        """Name the row in a test run."""
        return f"{self.name}-{self.api_version.rpartition('/')[2]}"


@cache
def load() -> tuple[Sample, ...]:
    """Read the table."""
    return tuple(_sample(raw) for raw in yaml.safe_load(TABLE.read_text(encoding="utf-8")))


def filled(**raw: Any) -> Sample:
    """Answer a row that is written as those of the table."""
    return _sample(raw)


def objects(*outcomes: str) -> list[tuple[Sample, Object]]:
    """Answer the samples that have an object for one of `outcomes`, each with that object."""
    return [(sample, sample.objects[word]) for sample in load() for word in outcomes if word in sample.objects]


def _sample(raw: Object) -> Sample:
    pods = raw.get("pods", {})
    first = next(iter(pods), "")
    head = {"apiVersion": raw["apiVersion"], "kind": raw["kind"], "metadata": {"name": "llm", "namespace": "team-a"}}
    made = {word: head | copied(_filled(raw["object"], *AMOUNTS[word])) for word in AMOUNTS if "object" in raw}
    if "unseen" in raw:
        made["unseen"] = head | raw["unseen"]
    return Sample(
        name=raw["name"],
        api_version=raw["apiVersion"],
        kind=raw["kind"],
        pods=pods,
        cpu=raw.get("cpu", f"{first}.containers[0].resources.limits[cpu]"),
        objects=made,
        elsewhere=head | raw["elsewhere"] if "elsewhere" in raw else None,
    )


def _filled(value: Any, cpu: str, memory: str, gpus: str) -> Any:
    """Put the pod in for the words that stand for it."""
    if isinstance(value, dict):
        return {key: _filled(member, cpu, memory, gpus) for key, member in value.items()}
    if isinstance(value, list):
        return [_filled(member, cpu, memory, gpus) for member in value]
    amounts = {"cpu": cpu, "memory": memory, "nvidia.com/gpu": gpus}
    resources = {"requests": amounts, "limits": amounts}
    container = {"name": "server", "image": "registry.example/vllm:1", "resources": resources}
    labels = {"labels": {"app": "llm"}}
    own = {"cpu": cpu, "memory": memory, "gpu": gpus}
    forms: Object = {
        "$TEMPLATE": {"metadata": labels, "spec": {"containers": [container]}},
        "$RUN": {"metadata": labels, "spec": {"restartPolicy": "Never", "containers": [container]}},
        "$SPEC": {"containers": [container]},
        "$CONTAINERS": [container],
        "$CONTAINER": container,
        "$RESOURCES": resources,
        "$OWN": {"requests": own, "limits": own},
        "$FLAT": own,
    }
    return forms.get(value, value) if isinstance(value, str) else value
