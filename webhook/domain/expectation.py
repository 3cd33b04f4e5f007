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
from webhook.domain.raw import as_object
from webhook.domain.resources import CPU
from webhook.domain.resources import MEMORY
from webhook.domain.resources import is_whole

VERSION = 1
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

    def same_shape(self, other: "Expectation") -> bool:
        """Compare the part that is derived from the spec."""
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
    """Compute the promise for a pod. Regular init containers are gone before anyone can verify them."""
    pinned = facts.qos is QOSClass.GUARANTEED and not facts.resources_set
    containers = {
        container.name: promise
        for container in facts.of_kind(ContainerKind.SIDECAR, ContainerKind.APP)
        if (promise := _promise(container, accelerators.get(container.name, {}), pinned=pinned)) is not None
    }
    return Expectation(str(level), numa_nodes, containers, policy, generation)


def decode(text: str) -> Expectation | None:
    """Read an annotation; None where it is not one that this version writes."""
    if len(text) > MAX_LENGTH:
        return None
    try:
        raw = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(raw, dict) or raw.get("v") != VERSION:
        return None
    containers: dict[str, ContainerPromise] = {}
    for name, one in as_object(raw.get("containers")).items():
        fields = as_object(one)
        devices = as_object(fields.get("devices"))
        numbers = (fields.get("cpus"), fields.get("memory"), *devices.values())
        if not all(isinstance(number, int) and not isinstance(number, bool) for number in numbers):
            return None
        containers[name] = ContainerPromise(
            cpus=_integer(fields.get("cpus")),
            memory=_integer(fields.get("memory")),
            devices={key: _integer(count) for key, count in devices.items()},
        )
    texts = [raw.get(key) for key in ("level", "policy", "generation")]
    numa_nodes = raw.get("numaNodes")
    if not all(isinstance(text, str) for text in texts) or not isinstance(numa_nodes, int):
        return None
    return Expectation(str(texts[0]), numa_nodes, containers, str(texts[1]), str(texts[2]))


def _promise(container: Container, devices: Mapping[str, int], *, pinned: bool) -> ContainerPromise | None:
    cpu, memory = container.requests.get(CPU), container.requests.get(MEMORY)
    cpus = cpu.value if pinned and cpu is not None and is_whole(cpu) else 0
    if not cpus and not devices:
        return None
    size = memory.as_int64() if pinned and memory is not None else None
    return ContainerPromise(cpus=cpus, memory=size or 0, devices=dict(sorted(devices.items())))


def _integer(value: object) -> int:
    return value if isinstance(value, int) else 0
