"""Makes node classes and pods for the tests of the kubelet simulation, in few words.

`machine()` is machine M of the tables: NUMA node 0 has CPUs 0-3 and 8-11, node 1 has 4-7 and 12-15 (n and n+8 are
siblings), 32Gi and 4 GPUs each; CPUs 0 and 8 and 1Gi of each node are reserved, so 6 and 8 CPUs are free. Containers
are written CPU/memory/GPUs, "-" for none, requests equal to limits.
"""

from collections.abc import Iterable
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from webhook.domain import cpuset
from webhook.domain import facts
from webhook.domain.kubelet.admit import Admission
from webhook.domain.kubelet.admit import Node
from webhook.domain.kubelet.admit import Placement
from webhook.domain.kubelet.admit import admit_on_empty
from webhook.domain.pod import PodFacts
from webhook.domain.quantity import Quantity
from webhook.domain.topology import Cell
from webhook.domain.topology import Core
from webhook.domain.topology import Device
from webhook.domain.topology import KubeletSettings
from webhook.domain.topology import NodeClass

GPU = "nvidia.com/gpu"
GIB = 1 << 30
MIB = 1 << 20

Raw = dict[str, Any]


def cells(number: int = 2, cores: int = 4, memory: int = 32 * GIB, smt: int = 2, **fields: Any) -> tuple[Cell, ...]:
    """Make equal NUMA nodes, one socket each, siblings numbered after all first threads."""
    total = number * cores
    return tuple(
        Cell(
            cell,
            memory,
            tuple(Core(tuple(cell * cores + n + t * total for t in range(smt)), socket=cell) for n in range(cores)),
            distances=tuple(10 if other == cell else 20 for other in range(number)),
            **fields,
        )
        for cell in range(number)
    )


def gpus(per_cell: Iterable[int] = (4, 4)) -> dict[str, tuple[Device, ...]]:
    """Make healthy GPUs, named by NUMA node and number: "0-1" is the second of node 0."""
    return {GPU: tuple(Device(f"{c}-{n}", (c,)) for c, count in enumerate(per_cell) for n in range(count))}


def machine(
    policy: str = "single-numa-node",
    scope: str = "container",
    *,
    cells: tuple[Cell, ...] = cells(),
    devices: Mapping[str, tuple[Device, ...]] | None = None,
    reserved_cpus: str = "0,8",
    **settings: Any,
) -> NodeClass:
    """Make machine M; 1Gi is reserved on each NUMA node unless `settings` say otherwise."""
    per_cell = {cell.id: {"memory": GIB} for cell in cells}
    base = KubeletSettings(
        cpu_manager_policy="static",
        memory_manager_policy="Static",
        topology_manager_policy=policy,
        topology_manager_scope=scope,
        reserved_system_cpus=cpuset.parse(reserved_cpus) or None,
        node_allocatable_reservation={"memory": Quantity.of_bytes(GIB * len(cells))},
        reserved_memory=per_cell,
    )
    return NodeClass("m", cells, gpus() if devices is None else devices, replace(base, **settings))


def whole_machine(policy: str = "single-numa-node", scope: str = "pod") -> NodeClass:
    """Make the reference class: 2 NUMA nodes of 48 cores, 1024Gi and 4 GPUs; one core and 16Gi of each reserved."""
    shape = cells(2, 48, 1024 * GIB)
    return machine(
        policy,
        scope,
        cells=shape,
        reserved_cpus="0,48,96,144",
        cpu_manager_policy_options={"full-pcpus-only": "true"},
        node_allocatable_reservation={"memory": Quantity.parse("32Gi")},
        reserved_memory={0: {"memory": 16 * GIB}, 1: {"memory": 16 * GIB}},
    )


def app(text: str, name: str = "app", **more: str) -> Raw:
    """Make an app container from "CPU/memory/GPUs"; `more` are further resources, "_" for "-" in their names."""
    names = ("cpu", "memory", GPU)
    values = {key: value for key, value in zip(names, text.split("/"), strict=False) if value != "-"}
    values |= {key.replace("_", "-"): value for key, value in more.items()}
    return {"name": name, "resources": {"requests": dict(values), "limits": dict(values)}}


def init(text: str, name: str = "init", **more: str) -> Raw:
    """Make an init container."""
    return {**app(text, name, **more), "init": True}


def sidecar(text: str, name: str = "sidecar", **more: str) -> Raw:
    """Make an init container that keeps running."""
    return {**init(text, name, **more), "restartPolicy": "Always"}


def burstable(text: str, name: str = "app") -> Raw:
    """Make an app container without CPU and memory limits."""
    made = app(text, name)
    limits = made["resources"]["limits"]
    made["resources"]["limits"] = {key: value for key, value in limits.items() if "/" in key}
    return made


def raw_pod(*containers: Raw, **spec: Any) -> Raw:
    """Make a pod of these containers, as it is written."""
    inits = [{k: v for k, v in item.items() if k != "init"} for item in containers if item.get("init")]
    apps = [item for item in containers if not item.get("init")]
    return {"metadata": {"name": "p"}, "spec": {"initContainers": inits, "containers": apps, **spec}}


def pod(*containers: Raw, **spec: Any) -> PodFacts:
    """Read a pod of these containers."""
    return facts.read(raw_pod(*containers, **spec))


def admit(node_class: NodeClass, *containers: Raw, **spec: Any) -> Admission:
    """Ask an empty node to take a pod of these containers."""
    return admit_on_empty(pod(*containers, **spec), node_class)


def admit_all(node_class: NodeClass, *pods: PodFacts) -> list[Admission]:
    """Send pods to one node, in order."""
    node = Node(node_class)
    return [node.admit(each) for each in pods]


def placed(admission: Admission, name: str = "app") -> Placement:
    """Answer where a container of an admitted pod landed."""
    assert admission.admitted, admission
    return next(placement for placement in admission.placements if placement.container == name)


def where(admission: Admission) -> dict[str, str]:
    """Answer "CPUs | memory cells | number of devices per resource" per container, or the reason of a refusal."""
    if not admission.admitted:
        return {"refused": f"{admission.reason}"}
    return {placement.container: _words(placement) for placement in admission.placements}


def _words(placement: Placement) -> str:
    memory = ",".join(str(list(block.cells)) for block in placement.memory if block.type == "memory") or "-"
    devices = ",".join(str(len(ids)) for ids in placement.devices.values()) or "-"
    return f"{cpuset.format(placement.cpus) or '-'} | {memory} | {devices}"
