"""The shapes that the real kubelet and the simulation are compared on: kubelets with devices, and pods for each."""

from collections.abc import Iterator
from collections.abc import Mapping
from dataclasses import dataclass
from dataclasses import field
from random import Random
from typing import Any

from differential import arrivals
from differential import pod_level
from differential.nodes import ALPHA_OPTIONS
from differential.nodes import GPU
from differential.nodes import MIB
from differential.nodes import NIC
from node.hardware import Hardware

from webhook.domain import cpuset
from webhook.domain.quantity import Quantity
from webhook.domain.topology import POD_LEVEL_GATE
from webhook.domain.topology import Device
from webhook.domain.topology import KubeletSettings
from webhook.domain.topology import NodeClass

PODS = 3
"""That each kubelet admits or refuses, one after the other."""

Raw = dict[str, Any]


@dataclass(frozen=True)
class Shape:
    """A kubelet: "policy/scope", CPU and topology manager options that are "true", and what is unusual about it.

    `reserved` are CPUs by number, or "" for `by_size`; `gpus` says how many each NUMA node has, in turn.
    """

    name: str
    policy: str
    options: tuple[str, ...] = ()
    topology_options: tuple[str, ...] = ()
    reserved: str = "0"
    by_size: str = ""
    memory: str = "Static"
    cpu: str = "static"
    gpus: tuple[int, ...] = (2, 2)
    nics: tuple[int, ...] = ()
    gates: tuple[str, ...] = ()
    pages: int = 0
    """Huge pages of 2Mi on each NUMA node."""
    homes: Mapping[str, tuple[int, ...] | None] = field(default_factory=dict)
    """Devices that lie on other NUMA nodes than their names say, or nobody says where (None)."""
    sick: frozenset[str] = frozenset()

    def settings(self, hardware: Hardware) -> KubeletSettings:
        """Answer the kubelet's settings; memory is reserved on every NUMA node, 256Mi on the first."""
        reserved = {cell: {"memory": (256 if cell == 0 else 64) * MIB} for cell in range(hardware.cells)}
        total = sum(limits["memory"] for limits in reserved.values())
        policy, scope = self.policy.split("/")
        cpu = {"cpu": Quantity.parse(self.by_size)} if self.by_size else {}
        return KubeletSettings(
            cpu_manager_policy=self.cpu,
            cpu_manager_policy_options=dict.fromkeys(self.options, "true"),
            memory_manager_policy=self.memory,
            topology_manager_policy=policy,
            topology_manager_scope=scope,
            topology_manager_policy_options=dict.fromkeys(self.topology_options, "true"),
            reserved_system_cpus=None if self.by_size else cpuset.parse(self.reserved),
            node_allocatable_reservation={"memory": Quantity.of_bytes(total), **cpu},
            reserved_memory=reserved if self.memory == "Static" else {},
            feature_gates=dict.fromkeys(self.gates, True),
        )

    def devices(self) -> dict[str, tuple[Device, ...]]:
        """Answer the devices, named by resource, NUMA node and number; those with a home come first."""
        kinds = {GPU: ("gpu", self.gpus), NIC: ("nic", self.nics)}
        made = {
            resource: tuple(sorted(self._made(*kind), key=lambda device: not device.numa))
            for resource, kind in kinds.items()
        }
        return {resource: found for resource, found in made.items() if found}

    def _made(self, kind: str, counts: tuple[int, ...]) -> Iterator[Device]:
        for cell, count in enumerate(counts):
            for number in range(count):
                name = f"{kind}-{cell}-{number}"
                yield Device(name, self.homes.get(name, (cell,)), healthy=name not in self.sick)

    def pods(self, node: NodeClass) -> Iterator[Raw]:
        """Yield pods for it without end, always the same ones."""
        random = Random(f"shape {self.name}")  # noqa: S311 - tests want the same numbers again
        while True:
            room = arrivals.room(random, node)
            if POD_LEVEL_GATE in self.gates and random.random() < 0.8:
                yield pod_level.pod(random, room, "pod")
            else:
                yield arrivals.pod(random, room, "pod")


SMALL = (
    Shape("the usual one", "single-numa-node/container"),
    Shape("whole pods", "single-numa-node/pod", nics=(1, 1)),
    Shape("restricted", "restricted/container"),
    Shape("restricted whole pods", "restricted/pod", reserved="0,4", gpus=(3, 1)),
    Shape("spread over NUMA nodes", "best-effort/container", options=("distribute-cpus-across-numa",), nics=(0, 2)),
    Shape("best effort for whole pods", "best-effort/pod", options=("strict-cpu-reservation",)),
    Shape("no policy", "none/container"),
    Shape("memory not pinned", "restricted/container", memory="None", options=("strict-cpu-reservation",)),
    Shape("CPUs not pinned", "single-numa-node/container", cpu="none", gpus=(4, 2)),
    Shape("reserved by size", "single-numa-node/pod", by_size="1500m", homes={"gpu-0-1": None, "gpu-1-0": None}),
    Shape("huge pages", "restricted/container", pages=64),
    Shape("pods of their own size", "single-numa-node/pod", gates=(POD_LEVEL_GATE,)),
)
LARGE = (
    Shape("whole cores", "single-numa-node/container", options=("full-pcpus-only",), reserved="0-1", gpus=(2, 2, 2, 2)),
    Shape("whole cores of whole pods", "single-numa-node/pod", options=("full-pcpus-only",), gpus=(4, 0, 4, 0)),
    Shape(
        "close NUMA nodes",
        "restricted/container",
        topology_options=("prefer-closest-numa-nodes",),
        reserved="0-1,12-13",
        gpus=(1, 1, 1, 1),
        nics=(1, 0, 0, 1),
    ),
    Shape(
        "sockets",
        "restricted/pod",
        options=("align-by-socket", "full-pcpus-only"),
        gates=(ALPHA_OPTIONS,),
        gpus=(1, 1, 1, 1),
    ),
    Shape(
        "whole cores spread over NUMA nodes",
        "best-effort/container",
        options=("distribute-cpus-across-numa", "full-pcpus-only"),
        gpus=(2, 2, 2, 2),
    ),
    Shape(
        "spread over cores", "restricted/container", options=("distribute-cpus-across-cores",), gates=(ALPHA_OPTIONS,)
    ),
    Shape(
        "caches",
        "single-numa-node/container",
        options=("prefer-align-cpus-by-uncorecache", "strict-cpu-reservation"),
        gpus=(2, 1, 1, 2),
        sick=frozenset({"gpu-0-1"}),
    ),
    Shape("no policy but whole cores", "none/container", options=("full-pcpus-only",), reserved="1,3"),
    Shape(
        "devices of two NUMA nodes",
        "restricted/pod",
        gpus=(2, 0, 2, 0),
        homes={name: cells for cells in ((0, 1), (2, 3)) for name in (f"gpu-{cells[0]}-0", f"gpu-{cells[0]}-1")},
    ),
    Shape("pods of their own size, by container", "restricted/container", gates=(POD_LEVEL_GATE,)),
)
