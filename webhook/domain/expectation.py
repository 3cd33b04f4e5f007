"""The promise: what a node must show for a pod, written at admission and compared later.

It is computed from the pod's spec alone; `level`, `policy` and `generation` say under which world it was given.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass

from webhook.domain.levels import Level
from webhook.domain.pod import Container
from webhook.domain.pod import ContainerKind
from webhook.domain.pod import PodFacts
from webhook.domain.pod import QOSClass
from webhook.domain.qos import of_requirements
from webhook.domain.raw import JsonObject
from webhook.domain.raw import as_object
from webhook.domain.raw import get_object
from webhook.domain.resources import CPU
from webhook.domain.resources import MEMORY

VERSION = 1
_LEVELS = frozenset(map(str, Level))
MAX_LENGTH = 16384
"""A longer annotation is not read: no pod within the API server's limits needs one."""


@dataclass(frozen=True, slots=True)
class ContainerPromise:
    """Exclusive CPUs (0: none), pinned memory in bytes (0: none) and devices by resource name of one container."""

    cpus: int
    memory: int
    devices: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Expectation:
    """What the node must show; `containers` holds only those with exclusive CPUs or devices."""

    level: str
    numa_nodes: int
    containers: Mapping[str, ContainerPromise]
    policy: str
    generation: str

    def encode(self) -> str:
        """Write the annotation: compact JSON, sorted keys, integers only."""
        return json.dumps(
            {
                "v": VERSION,
                "level": self.level,
                "numaNodes": self.numa_nodes,
                "containers": {
                    name: {"cpus": one.cpus, "memory": one.memory, "devices": dict(one.devices)}
                    for name, one in self.containers.items()
                },
                "policy": self.policy,
                "generation": self.generation,
            },
            sort_keys=True,
            separators=(",", ":"),
        )

    @property
    def reached(self) -> Level:
        """The level as a value."""
        return Level[self.level.upper()]

    @property
    def unpinned(self) -> tuple[str, ...]:
        """The containers with devices and no CPUs of their own: these may run anywhere, and no rule says so."""
        return tuple(name for name, one in self.containers.items() if one.devices and not one.cpus)

    def same_shape(self, other: "Expectation") -> bool:
        """Compare the part that is derived from the spec (and from the level, see `containers_of`)."""
        return self.numa_nodes == other.numa_nodes and self.containers == other.containers


def expect(
    facts: PodFacts,
    accelerators: Mapping[str, Mapping[str, int]],
    *,
    level: Level,
    numa_nodes: int,
    policy: str,
    generation: str,
) -> Expectation:
    """Compute the promise for a pod."""
    return Expectation(str(level), numa_nodes, containers_of(facts, accelerators, level), policy, generation)


def containers_of(
    facts: PodFacts, accelerators: Mapping[str, Mapping[str, int]], level: Level
) -> Mapping[str, ContainerPromise]:
    """Compute the part that spec and level decide. Init containers are gone before anyone can verify them.

    The level matters only with spec.resources: no kubelet but one that pins such pods brings them to level exclusive,
    and it gives CPUs of their own to those containers that are Guaranteed on their own. What containers share within
    their pod is not promised.
    """
    promises = (
        (one.name, _promise(one, accelerators.get(one.name, {}), pinned=_is_pinned(facts, one, level)))
        for one in facts.of_kind(ContainerKind.SIDECAR, ContainerKind.APP)
    )
    return {name: promise for name, promise in promises if promise is not None}


def decode(text: str) -> Expectation | None:
    """Read an annotation; None where it is not one that this version writes."""
    if len(text) > MAX_LENGTH:
        return None
    try:
        raw = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(raw, dict) or raw.get("v") is True or raw.get("v") != VERSION:
        return None
    try:
        return Expectation(
            level=_text(raw, "level", _LEVELS),
            numa_nodes=_integer(raw.get("numaNodes")),
            containers={
                name: ContainerPromise(
                    cpus=_integer(as_object(one).get("cpus")),
                    memory=_integer(as_object(one).get("memory")),
                    devices={key: _integer(count) for key, count in get_object(one, "devices").items()},
                )
                for name, one in get_object(raw, "containers").items()
            },
            policy=_text(raw, "policy"),
            generation=_text(raw, "generation"),
        )
    except ValueError:
        return None


def _is_pinned(facts: PodFacts, container: Container, level: Level) -> bool:
    if facts.qos is not QOSClass.GUARANTEED or not facts.resources_set:
        return facts.qos is QOSClass.GUARANTEED
    return level >= Level.EXCLUSIVE and of_requirements(container.requests, container.limits) is QOSClass.GUARANTEED


def _promise(container: Container, devices: Mapping[str, int], *, pinned: bool) -> ContainerPromise | None:
    cpu, memory = container.requests.get(CPU), container.requests.get(MEMORY)
    cpus = cpu.value if pinned and cpu is not None and cpu.is_whole else 0
    if not cpus and not devices:
        return None
    size = memory.as_int64() if pinned and memory is not None else None
    return ContainerPromise(cpus=cpus, memory=size or 0, devices=dict(sorted(devices.items())))


def _integer(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise ValueError  # noqa: TRY004 - what was read is wrong, not what was passed
    return value


def _text(raw: JsonObject, key: str, words: frozenset[str] | None = None) -> str:
    value = raw.get(key)
    if not isinstance(value, str) or (words is not None and value not in words):
        raise ValueError
    return value
