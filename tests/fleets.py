"""Writes the nodes of a large cluster with their reports: 40 kinds of machines, objects as large as real ones."""

import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from nodeobjects import GIB
from nodeobjects import zone
from nodeobjects import zone_row

Object = dict[str, Any]

ZONES = ("a", "b", "c", "d")
CPU_FLAGS = [
    "ADX",
    "AESNI",
    "AMXBF16",
    "AMXINT8",
    "AMXTILE",
    "AVX",
    "AVX2",
    "AVX512BF16",
    "AVX512BITALG",
    "AVX512BW",
    "AVX512CD",
    "AVX512DQ",
    "AVX512F",
    "AVX512FP16",
    "AVX512IFMA",
    "AVX512VBMI",
    "AVX512VBMI2",
    "AVX512VL",
    "AVX512VNNI",
    "AVX512VPOPCNTDQ",
    "CETIBT",
    "CETSS",
    "CLDEMOTE",
    "CMPXCHG8",
    "FMA3",
    "FSRM",
    "FXSR",
    "FXSROPT",
    "GFNI",
    "IBPB",
    "LAHF",
    "MOVBE",
    "MOVDIR64B",
    "MOVDIRI",
    "OSXSAVE",
    "SERIALIZE",
    "SHA",
    "STIBP",
    "SYSCALL",
    "SYSEE",
    "TSXLDTRK",
    "VAES",
    "VPCLMULQDQ",
    "WBNOINVD",
    "X87",
    "XGETBV1",
    "XSAVE",
    "XSAVEC",
    "XSAVEOPT",
    "XSAVES",
]
IMAGES = 8
"""As many as a node of a pool with few workloads shows; the kubelet's own limit is 50."""


@dataclass(frozen=True, slots=True)
class Shape:
    """A machine of two NUMA nodes: cores, memory and GPUs of each of them."""

    type: str
    product: str
    cores: int
    gib: int
    gpus: int


SHAPES = (
    Shape("g1-half", "NVIDIA-A10G", 24, 192, 2),
    Shape("g1-full", "NVIDIA-A10G", 48, 384, 4),
    Shape("g2-full", "NVIDIA-L40S", 48, 768, 4),
    Shape("a1-half", "NVIDIA-A100-SXM4-40GB", 24, 576, 2),
    Shape("a1-full", "NVIDIA-A100-SXM4-40GB", 48, 576, 4),
    Shape("a2-full", "NVIDIA-A100-SXM4-80GB", 48, 1152, 4),
    Shape("h1-half", "NVIDIA-H100-80GB-HBM3", 48, 512, 2),
    Shape("h1-full", "NVIDIA-H100-80GB-HBM3", 96, 1024, 4),
    Shape("h2-full", "NVIDIA-H200", 96, 1024, 4),
    Shape("b1-full", "NVIDIA-B200", 112, 2048, 4),
)

KUBELETS = (
    ("serving", "single-numa-node", "pod", 2),
    ("serving-fine", "single-numa-node", "container", 2),
    ("wide", "restricted", "pod", 4),
    ("batch", "best-effort", "container", 4),
)
"""Pools: name, the topology manager's policy and scope, and the CPUs that each NUMA node keeps back."""


@dataclass(frozen=True, slots=True)
class Kind:
    """A pool of equal machines."""

    shape: Shape
    pool: str
    policy: str
    scope: str
    kept: int

    @property
    def name(self) -> str:
        """What its nodes are called, before a number."""
        return f"{self.shape.type}-{self.pool}"


KINDS = tuple(Kind(shape, *kubelet) for shape in SHAPES for kubelet in KUBELETS)


@dataclass(frozen=True, slots=True)
class Member:
    """One node of a fleet; `spread` in kibibytes is what its memory lacks, for no two machines have the same."""

    kind: Kind
    number: int
    spread: int

    @property
    def name(self) -> str:
        """The node's name."""
        return f"{self.kind.name}-{self.number:05}"

    @property
    def memory(self) -> int:
        """The bytes of each NUMA node, of which firmware and kernel take a part."""
        return self.kind.shape.gib * GIB * 63 // 64 - self.spread * 1024

    @property
    def reserved(self) -> int:
        """The bytes that each NUMA node keeps back."""
        return self.kind.kept * GIB


def fleet(nodes: int, *, kinds: tuple[Kind, ...] = KINDS, least: int = 4) -> list[Member]:
    """Spread nodes over the kinds as clusters do: a few large pools, many small ones, none below `least`."""
    chance = random.Random(nodes)  # noqa: S311  # makes objects, keeps no secret
    weights = [1 / (number + 1) for number in range(len(kinds))]
    left = nodes - least * len(kinds)
    counts = [least + int(left * weight / sum(weights)) for weight in weights]
    counts[0] += nodes - sum(counts)
    order = chance.sample(range(len(kinds)), len(kinds))
    return [
        Member(kinds[index], number, chance.randrange(0, 64 * 1024, 4))
        for index, count in zip(order, counts, strict=True)
        for number in range(count)
    ]


def node_of(member: Member) -> Object:
    """Write the Node."""
    kind, shape = member.kind, member.kind.shape
    size = {"cpu": 2 * 2 * shape.cores, "memory": 2 * member.memory, "nvidia.com/gpu": 2 * shape.gpus, "pods": 110}
    capacity = {**_texts(size), "ephemeral-storage": "2067346520Ki", "hugepages-1Gi": "0", "hugepages-2Mi": "0"}
    allocatable = {
        **capacity,
        **_texts({"cpu": 4 * shape.cores - 2 * kind.kept, "memory": 2 * (member.memory - member.reserved)}),
    }
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": member.name, "labels": labels_of(member), "annotations": _annotations(member)},
        "spec": {
            "podCIDR": f"10.{member.number // 250}.{member.number % 250}.0/24",
            "providerID": f"cloud:///region-1/{member.name}",
            "taints": [{"key": "nvidia.com/gpu", "value": "present", "effect": "NoSchedule"}],
        },
        "status": {
            "capacity": capacity,
            "allocatable": allocatable,
            "conditions": list(_conditions()),
            "addresses": [
                {"type": "InternalIP", "address": f"10.0.{member.number // 250}.{member.number % 250}"},
                {"type": "Hostname", "address": member.name},
                {"type": "InternalDNS", "address": f"{member.name}.region-1.internal.example"},
            ],
            "daemonEndpoints": {"kubeletEndpoint": {"Port": 10250}},
            "nodeInfo": {
                "machineID": f"{member.number:032x}",
                "systemUUID": f"{member.number:032x}",
                "bootID": f"{member.number:032x}",
                "kernelVersion": "6.8.0-1021-cloud",
                "osImage": "Ubuntu 24.04.2 LTS",
                "containerRuntimeVersion": "containerd://2.1.4",
                "kubeletVersion": "v1.37.2",
                "kubeProxyVersion": "",
                "operatingSystem": "linux",
                "architecture": "amd64",
            },
            "images": list(_images()),
        },
    }


def labels_of(member: Member) -> dict[str, str]:
    """Answer the labels that the cloud, the kubelet, node-feature-discovery and the GPU operator set."""
    shape = member.kind.shape
    flags = {f"feature.node.kubernetes.io/cpu-cpuid.{flag}": "true" for flag in CPU_FLAGS}
    gpu = {
        "count": 2 * shape.gpus,
        "product": shape.product,
        "family": "hopper",
        "machine": shape.type,
        "memory": 81559,
        "mode": "compute",
        "replicas": 1,
        "sharing-strategy": "none",
        "present": "true",
        "compute.major": 9,
        "compute.minor": 0,
        "deploy.device-plugin": "true",
        "deploy.driver": "true",
        "deploy.dcgm-exporter": "true",
    }
    return {
        "kubernetes.io/hostname": member.name,
        "kubernetes.io/arch": "amd64",
        "kubernetes.io/os": "linux",
        "node.kubernetes.io/instance-type": shape.type,
        "topology.kubernetes.io/region": "region-1",
        "topology.kubernetes.io/zone": f"region-1{ZONES[member.number % len(ZONES)]}",
        "karpenter.sh/nodepool": member.kind.pool,
        "karpenter.sh/capacity-type": ("reserved", "on-demand")[member.number % 2],
        "feature.node.kubernetes.io/cpu-hardware_multithreading": "true",
        "feature.node.kubernetes.io/cpu-model.vendor_id": "Intel",
        "feature.node.kubernetes.io/kernel-version.full": "6.8.0-1021-cloud",
        "feature.node.kubernetes.io/memory-numa": "true",
        "feature.node.kubernetes.io/pci-10de.present": "true",
        "nvidia.com/gfd.timestamp": "1764460800",
        "nvidia.com/cuda.driver-version.full": "580.95.05",
        **{f"nvidia.com/gpu.{key}": str(value) for key, value in gpu.items()},
        **flags,
    }


def report_of(member: Member, chance: random.Random) -> Object:
    """Write the NodeResourceTopology of resource-topology-exporter; by chance some of each NUMA node is in use."""
    kind = member.kind
    return {
        "apiVersion": "topology.node.k8s.io/v1alpha2",
        "kind": "NodeResourceTopology",
        "metadata": {
            "name": member.name,
            "annotations": {"k8stopoawareschedwg/rte-update": "periodic"},
            "ownerReferences": [{"apiVersion": "v1", "kind": "Node", "name": member.name, "uid": "0"}],
        },
        "attributes": [
            {"name": "nodeTopologyPodsFingerprint", "value": f"pfp0v001{chance.randrange(1 << 64):016x}"},
            {"name": "topologyManagerScope", "value": kind.scope},
            {"name": "topologyManagerPolicy", "value": kind.policy},
        ],
        "zones": zones_of(member, chance),
    }


def zones_of(member: Member, chance: random.Random) -> list[Object]:
    """Write the zones of a report; by chance some of each is in use, and none is empty."""
    kind, shape = member.kind, member.kind.shape
    written: list[Object] = []
    for number in (0, 1):
        cpus, size = 2 * shape.cores - kind.kept, member.memory - member.reserved
        # A pod without GPUs takes CPUs and memory, too: what is left of them is in no fixed proportion.
        gpus = chance.randint(0, shape.gpus)
        left = chance.randint(0, cpus * (gpus + 1) // (shape.gpus + 1))
        rest = chance.randint(0, size * (gpus + 1) // (shape.gpus + 1))
        made = zone(number, cpus=(2 * shape.cores, cpus, left), memory=(member.memory, size, rest))
        made["resources"].append(zone_row("nvidia.com/gpu", shape.gpus, shape.gpus, gpus))
        written.append(made)
    return written


def _texts(numbers: dict[str, int]) -> dict[str, str]:
    return {name: str(number) for name, number in numbers.items()}


def _annotations(member: Member) -> dict[str, str]:
    features = ",".join(sorted(key.partition("/")[2] for key in labels_of(member) if key.startswith("feature.")))
    return {
        "csi.volume.kubernetes.io/nodeid": f'{{"csi.example.com":"i-{member.number:017x}"}}',
        "nfd.node.kubernetes.io/feature-labels": features,
        "nfd.node.kubernetes.io/master.version": "v0.18.2",
        "node.alpha.kubernetes.io/ttl": "300",
        "volumes.kubernetes.io/controller-managed-attach-detach": "true",
    }


def _conditions() -> Iterator[Object]:
    for name, reason in (
        ("MemoryPressure", "KubeletHasSufficientMemory"),
        ("DiskPressure", "KubeletHasNoDiskPressure"),
        ("PIDPressure", "KubeletHasSufficientPID"),
        ("Ready", "KubeletReady"),
    ):
        yield {
            "type": name,
            "status": str(name == "Ready"),
            "reason": reason,
            "message": f"kubelet has {reason}",
            "lastHeartbeatTime": "2026-11-30T03:00:00Z",
            "lastTransitionTime": "2026-11-01T00:00:00Z",
        }


def _images() -> Iterator[Object]:
    for number in range(IMAGES):
        path = f"registry.internal.example/platform/component-{number}"
        yield {"names": [f"{path}@sha256:{number:064x}", f"{path}:v1.{number}.0"], "sizeBytes": 50_000_000 + number}
