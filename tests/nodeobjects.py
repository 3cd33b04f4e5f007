"""Writes Nodes and what describes their topology, shaped as the real writers shape it."""

from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from observations import SETTINGS
from observations import cell
from observations import gpus
from observations import machine
from observations import observed

from webhook.domain.node_alignment import document

Object = dict[str, Any]

GIB = 1 << 30
RESERVED = 16 * GIB
H100 = "NVIDIA-H100-80GB-HBM3"
SEEN = "2026-11-30T02:00:00Z"


def node(
    name: str = "node-a", *, labels: Mapping[str, str] | None = None, taints: Sequence[Object] = (), **capacity: Any
) -> Object:
    """Write a Node as a cloud provider's kubelet registers it; `gpus=8` and the like make its capacity."""
    names = {"cpu": "cpu", "memory": "memory", "gpus": "nvidia.com/gpu", "efas": "vpc.amazonaws.com/efa"}
    written = {names.get(key, key): str(value) for key, value in capacity.items()}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {
            "name": name,
            "labels": {"kubernetes.io/hostname": name, "kubernetes.io/arch": "amd64", **(labels or {})},
        },
        "spec": {"taints": list(taints)},
        "status": {"capacity": written, "nodeInfo": {"kubeletVersion": "v1.36.3-eks-0123abc"}},
    }


def zone_row(name: str, capacity: int, allocatable: int, available: int) -> Object:
    """Write a row as Go prints a decimal quantity."""
    return {
        "name": name,
        "capacity": str(capacity),
        "allocatable": str(allocatable),
        "available": str(available),
    }


def zone(
    number: int = 0,
    *,
    of: int = 2,
    cpus: tuple[int, int, int] | None = (96, 94, 90),
    memory: tuple[int, int, int] | None = (1024 * GIB, 1024 * GIB - RESERVED, 940 * GIB),
    far: int = 21,
    **devices: int,
) -> Object:
    """Write a zone of type Node; numbers are capacity, allocatable and available."""
    rows = [zone_row("cpu", *cpus)] if cpus else []
    rows += [zone_row("memory", *memory)] if memory else []
    rows += [zone_row(f"{key}.com/gpu", count, count, count) for key, count in devices.items()]
    costs = [{"name": f"node-{other}", "value": 10 if other == number else far} for other in range(of)]
    return {"name": f"node-{number}", "type": "Node", "costs": costs, "resources": rows}


def rte_report(name: str = "node-a", zones: Sequence[Object] | None = None, **settings: str) -> Object:
    """Write a NodeResourceTopology as resource-topology-exporter does; `policy` and `scope` are the kubelet's."""
    return {
        "apiVersion": "topology.node.k8s.io/v1alpha2",
        "kind": "NodeResourceTopology",
        "metadata": {
            "name": name,
            "annotations": {"k8stopoawareschedwg/rte-update": "periodic"},
            "ownerReferences": [{"apiVersion": "v1", "kind": "Node", "name": name, "uid": "0"}],
            "managedFields": [{"manager": "resource-topology-exporter", "operation": "Update", "time": SEEN}],
        },
        "attributes": [
            {"name": "nodeTopologyPodsFingerprint", "value": "pfp0v001fe53c4dbd2c5f4a0"},
            {"name": "topologyManagerScope", "value": settings.get("scope", "pod")},
            {"name": "topologyManagerPolicy", "value": settings.get("policy", "single-numa-node")},
        ],
        "zones": list(zones) if zones is not None else [zone(0, nvidia=4), zone(1, nvidia=4)],
    }


def agent_report(name: str = "node-a", *, seen: str = SEEN, **fields: Any) -> Object:
    """Write a NodeAlignment as our agent does, of the machine of `rte_report`; `fields` are those of an observation."""
    far = fields.pop("memory", 1024 * GIB)
    shown = {
        "machine": machine(cell(0, cores=48, memory=far), cell(1, cores=48, memory=far)),
        "kubelet": replace(SETTINGS, **fields.pop("settings", {})),
        "version": (1, 36),
        "devices": gpus(*[1] * 4, *[2] * 4),
        **fields,
    }
    instant = datetime.fromisoformat(seen)
    return dict(document(observed(node=name, instant=instant, **shown), (), version="1.0.0"))


def nfd_report(name: str, zones: Sequence[Object], policy: str, *, version: str = "v1alpha2") -> Object:
    """Write a NodeResourceTopology as node-feature-discovery does: the deprecated policy beside attributes, if any."""
    written: Object = {
        "apiVersion": f"topology.node.k8s.io/{version}",
        "kind": "NodeResourceTopology",
        "metadata": {"name": name},
        "topologyPolicies": [policy],
        "zones": list(zones),
    }
    return written


def nri_report(name: str = "node-a") -> Object:
    """Write a NodeResourceTopology as the topology-aware policy of nri-plugins does: pools, none of type Node."""
    rows = [
        zone_row("memory", 512 * GIB, 512 * GIB, 500 * GIB),
        {"name": "cpu", "capacity": "48", "allocatable": "48", "available": "47500m"},
    ]
    pools = [("root", "virtual node", ""), ("socket #0", "socket", "root"), ("NUMA node #0", "numa node", "socket #0")]
    return {
        "apiVersion": "topology.node.k8s.io/v1alpha2",
        "kind": "NodeResourceTopology",
        "metadata": {"name": name},
        "attributes": [{"name": "TopologyPolicy", "value": "topology-aware"}],
        "zones": [
            {
                "name": pool,
                "type": kind,
                **({"parent": parent} if parent else {}),
                "resources": rows,
                "attributes": [{"name": "memory set", "value": "0"}, {"name": "shared cpuset", "value": "1-47"}],
            }
            for pool, kind, parent in pools
        ],
    }


def resource_slice(
    driver: str, devices: Sequence[Object], *, node_name: str = "node-a", generation: int = 1, name: str = ""
) -> Object:
    """Write a ResourceSlice of one node."""
    return {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceSlice",
        "metadata": {"name": name or f"{node_name}-{driver}-abcde"},
        "spec": {
            "driver": driver,
            "nodeName": node_name,
            "pool": {"name": node_name, "generation": generation, "resourceSliceCount": 1},
            "devices": list(devices),
        },
    }


def device(name: str, *, capacity: Mapping[str, str] | None = None, **attributes: Any) -> Object:
    """Write a device; `type__` stands for the name before `__`, texts and numbers go by their type."""
    return {
        "name": name,
        "attributes": {key: _attribute(value) for key, value in attributes.items()},
        "capacity": {key: {"value": value} for key, value in (capacity or {}).items()},
    }


def nvidia_device(index: int, numa: int | None, *, root: str = "pci0000:17", kind: str = "gpu") -> Object:
    """Write a GPU as the DRA driver of NVIDIA does; it leaves the NUMA node out where the kernel says -1."""
    attributes = {"type": kind, "productName": "NVIDIA H100 80GB HBM3", "resource.kubernetes.io/pcieRoot": root}
    if numa is not None:
        attributes["resource.kubernetes.io/numaNode"] = numa  # type: ignore[assignment] # a number among texts
    return device(f"gpu-{index}", capacity={"memory": "81559Mi"}, **attributes)


def amd_device(index: int, root: str) -> Object:
    """Write a GPU as the DRA driver of AMD does: a PCIe root, no NUMA node."""
    attributes = {"type": "amdgpu", "productName": "AMD_Instinct_MI300X_OAM", "resource.kubernetes.io/pcieRoot": root}
    return device(f"gpu-{index}", capacity={"memory": "196592Mi"}, **attributes)


def cpu_group(numa: int, cpus: int, *roots: str) -> Object:
    """Write the CPUs of a NUMA node as dra-driver-cpu groups them."""
    standard = {"resource.kubernetes.io/numaNode": numa, "dra.cpu/numaNodeID": numa, "dra.net/numaNode": numa}
    known = {"dra.cpu/numCPUs": cpus, "dra.cpu/socketID": numa, "dra.cpu/smtEnabled": True, **standard}
    written = device(f"cpudevnuma{numa:03}", capacity={"dra.cpu/cpu": str(cpus)}, **known)
    if roots:
        written["attributes"]["resource.kubernetes.io/pcieRoot"] = {"strings": list(roots)}
    return written


def memory_device(numa: int, size: int, *, huge: bool = False) -> Object:
    """Write the memory of a NUMA node as dra-driver-memory does."""
    names = {"resource.kubernetes.io/numaNode": numa, "dra.cpu/numaNode": numa, "dra.memory/numaNode": numa}
    key = "pages" if huge else "memory"
    return device(f"memory-{numa}", capacity={key: str(size)}, **names, **{"dra.memory/hugeTLB": huge})


def profile(name: str, labels: Mapping[str, str] | None, **spec: Any) -> Object:
    """Write a NodeProfile."""
    selector = {"selector": {"matchLabels": dict(labels)}} if labels else {}
    return {
        "apiVersion": "numagate.io/v1alpha1",
        "kind": "NodeProfile",
        "metadata": {"name": name},
        "spec": {**selector, **spec},
    }


def _attribute(value: object) -> Object:
    match value:
        case bool():
            return {"bool": value}
        case int():
            return {"int": value}
        case list():
            return {"ints": value}
    return {"string": value}
