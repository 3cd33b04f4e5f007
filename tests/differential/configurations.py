"""Makes KubeletConfigurations for made-up machines: sound ones for the most part, and such with one or two faults."""

import json
from collections.abc import Callable
from collections.abc import Iterator
from dataclasses import dataclass
from dataclasses import replace
from random import Random
from typing import Any

from differential import nodes
from differential.scenarios import cell_fields

from webhook.config.document import from_object
from webhook.config.kubelet_configuration import read_kubelet_configuration
from webhook.domain import cpuset
from webhook.domain.errors import PolicyError
from webhook.domain.kubelet_configuration.known import Known
from webhook.domain.kubelet_configuration.system_share import system_memory
from webhook.domain.resources import MEMORY
from webhook.domain.topology import NodeClass
from webhook.domain.versions import Version
from webhook.sources.kubelet_versions import load_known

Raw = dict[str, Any]

HEAD = {"apiVersion": "kubelet.config.k8s.io/v1beta1", "kind": "KubeletConfiguration"}
SOUND_SHARE = 0.45
OPTIONS = (
    "full-pcpus-only",
    "strict-cpu-reservation",
    "prefer-align-cpus-by-uncorecache",
    "distribute-cpus-across-numa",
    "align-by-socket",
    "distribute-cpus-across-cores",
)
GATES = (
    "CPUManagerPolicyAlphaOptions",
    "CPUManagerPolicyBetaOptions",
    "TopologyManagerPolicyAlphaOptions",
    "TopologyManagerPolicyBetaOptions",
    "PodLevelResources",
    "PodLevelResourceManagers",
    "AllAlpha",
    "AllBeta",
)


@dataclass(frozen=True)
class Configured:
    """A machine and the text of its kubelet's configuration."""

    name: str
    node: NodeClass
    text: str
    version: Version

    def as_question(self) -> Raw:
        """Write it as one line of the oracle's input; no pod arrives."""
        numa = [cell_fields(cell) for cell in self.node.cells]
        return {"name": self.name, "numa": numa, "pods": [], "configuration": self.text}


def configurations(count: int, seed: int, version: Version, first: int = 0) -> Iterator[Configured]:
    """Yield `count` configurations from number `first` on; each depends on the seed and its own number only."""
    for number in range(first, first + count):
        random = Random(f"{seed}/{number}/configuration")  # noqa: S311 - tests want the same numbers again
        node = with_distances(nodes.node_class(random))
        written = sound(random, node)
        if random.random() > SOUND_SHARE:
            for _ in range(random.choice((1, 1, 2))):
                random.choice(SPOILERS)(random, node, written, load_known(version))
        yield Configured(f"seed {seed}, number {number}", node, json.dumps(written), version)


def with_distances(node: NodeClass) -> NodeClass:
    """Give every NUMA node its distances, as every machine does."""
    ids = range(max(cell.id for cell in node.cells) + 1)
    rows = {cell.id: tuple(10 if other == cell.id else 20 for other in ids) for cell in node.cells}
    return replace(node, cells=tuple(replace(cell, distances=rows[cell.id]) for cell in node.cells))


def sound(random: Random, node: NodeClass) -> Raw:
    """Write a configuration that starts."""
    cpus = [cpu for cell in node.cells for core in cell.cores for cpu in core.threads]
    written: Raw = {
        **HEAD,
        "cpuManagerPolicy": random.choice(("static", "static", "static", "none")),
        "memoryManagerPolicy": random.choice(("Static", "Static", "None")),
        "topologyManagerPolicy": random.choice(nodes.POLICIES),
        "topologyManagerScope": random.choice(("container", "pod")),
        "kubeReserved": {"memory": random.choice(("64Mi", "100M", "128Mi"))},
        "systemReserved": {"memory": "256Mi"},
    }
    if random.random() < 0.5:  # noqa: PLR2004 - half of them
        some = random.sample(cpus, min(len(cpus), random.choice((1, 2, 4))))
        written["reservedSystemCPUs"] = cpuset.format(sum(1 << cpu for cpu in some))
    else:
        written["systemReserved"]["cpu"] = random.choice(("500m", "1", "0.2"))
    threshold = random.choice((None, {}, {"memory.available": "100Mi"}, {"memory.available": "3%"}, {"pid.available": "9%"}))
    if threshold is not None:
        written["evictionHard"] = dict(threshold)
        written["mergeDefaultEvictionSettings"] = random.choice((True, False))
    if len(node.cells) > nodes.MAX_CELLS:
        written["topologyManagerPolicyOptions"] = {"max-allowable-numa-nodes": str(len(node.cells))}
    if written["cpuManagerPolicy"] == "static" and random.random() < 0.4:  # noqa: PLR2004 - many
        written["cpuManagerPolicyOptions"] = {random.choice(OPTIONS[:3]): random.choice(("true", "false", "1"))}
    fill_memory(random, node, written)
    return {name: value for name, value in written.items() if value != {} or random.random() < 0.5}  # noqa: PLR2004


def fill_memory(random: Random, node: NodeClass, written: Raw) -> None:
    """Share what is reserved of the node over its NUMA nodes, or over the first one."""
    memory = sum(cell.memory for cell in node.cells)
    try:
        read = read_kubelet_configuration(from_object(written, "made"), memory=memory)
    except PolicyError:
        return
    total = read.settings.node_allocatable_reservation[MEMORY].value
    parts = system_memory(node.cells, total) if random.random() < 0.7 else {node.cells[0].id: total}  # noqa: PLR2004
    written["reservedMemory"] = [{"numaNode": cell, "limits": {"memory": str(size)}} for cell, size in parts.items()]


Spoiler = Callable[[Random, NodeClass, Raw, Known], None]


def spoil_policy(random: Random, node: NodeClass, written: Raw, known: Known) -> None:
    """Misspell a policy or a scope."""
    words = {
        "cpuManagerPolicy": ("Static", "dynamic", ""),
        "memoryManagerPolicy": ("static", "BestEffort", ""),
        "topologyManagerPolicy": ("single-numa", "Restricted", ""),
        "topologyManagerScope": ("node", "Pod", ""),
    }
    field = random.choice(sorted(words))
    written[field] = random.choice(words[field])


def spoil_option(random: Random, node: NodeClass, written: Raw, known: Known) -> None:
    """Write options of the CPU manager that may not go together, or need a gate, or are nonsense."""
    names = random.sample((*OPTIONS, "full-pcpus"), random.choice((1, 2, 2, 3)))
    written["cpuManagerPolicyOptions"] = {name: random.choice(("true", "true", "false", "T", "yes", "")) for name in names}
    if random.random() < 0.5:  # noqa: PLR2004 - half of them
        written.setdefault("featureGates", {})["CPUManagerPolicyAlphaOptions"] = True


def spoil_topology_option(random: Random, node: NodeClass, written: Raw, known: Known) -> None:
    """Write options of the topology manager."""
    name, value = random.choice(
        (
            ("max-allowable-numa-nodes", "8"),
            ("max-allowable-numa-nodes", "7"),
            ("max-allowable-numa-nodes", "16"),
            ("max-allowable-numa-nodes", "many"),
            ("prefer-closest-numa-nodes", "true"),
            ("prefer-closest-numa-nodes", "on"),
            ("prefer-closest", "true"),
        )
    )
    written["topologyManagerPolicyOptions"] = {name: value}


def spoil_gate(random: Random, node: NodeClass, written: Raw, known: Known) -> None:
    """Set a feature gate: one of alignment, any one, or none that there is."""
    name = random.choice((random.choice(GATES), random.choice(sorted(known.gates)), "NoSuchGate"))
    written.setdefault("featureGates", {})[name] = random.choice((True, False))


def spoil_cpus(random: Random, node: NodeClass, written: Raw, known: Known) -> None:
    """Reserve CPUs that are not there, none, or badly written ones; or by number."""
    written.pop("reservedSystemCPUs", None)
    written["systemReserved"].pop("cpu", None)
    if random.random() < 0.5:  # noqa: PLR2004 - half of them
        written["reservedSystemCPUs"] = random.choice(("", "0,0", "0, 1", "900", "0-", "1-0", "a", "0-1000000"))
    elif random.random() < 0.7:  # noqa: PLR2004 - most
        written["systemReserved"]["cpu"] = random.choice(("0", "1n", "64", "900", "-1", "two", "1500m"))


def spoil_group(random: Random, node: NodeClass, written: Raw, known: Known) -> None:
    """Name cgroups, and what is to be enforced on them."""
    some = ("pods", "none", "system-reserved", "kube-reserved", "system-reserved-compressible", "nodes", "pods")
    written["enforceNodeAllocatable"] = [random.choice(some) for _ in range(random.choice((0, 1, 1, 2, 3)))]
    written["cgroupsPerQOS"] = random.choice((True, True, False))
    for name in ("systemReservedCgroup", "kubeReservedCgroup"):
        if random.random() < 0.4:  # noqa: PLR2004 - some
            written[name] = "/system.slice"


def spoil_eviction(random: Random, node: NodeClass, written: Raw, known: Known) -> None:
    """Write a threshold that cannot be read, or that changes the sum."""
    signal = random.choice(("memory.available", "nodefs.available", "memory.free", "imagefs.inodesFree"))
    value = random.choice(("100Mi", "0", "-1Gi", "5%", "0%", "100%", "101%", "many", "2.5%", "1G"))
    written.setdefault("evictionHard", {})[signal] = value
    if random.random() < 0.5:  # noqa: PLR2004 - half of them
        fill_memory(random, node, written)


def spoil_memory(random: Random, node: NodeClass, written: Raw, known: Known) -> None:
    """Reserve on the NUMA nodes something else than in sum."""
    entry = random.choice(
        (
            {"numaNode": node.cells[0].id, "limits": {"hugepages-2Mi": "64Mi"}},
            {"numaNode": node.cells[-1].id, "limits": {"memory": "1Mi"}},
            {"numaNode": 77, "limits": {"memory": "1Mi"}},
            {"numaNode": node.cells[0].id, "limits": {"memory": "0"}},
            {"numaNode": node.cells[0].id, "limits": {"cpu": "1"}},
            {"numaNode": node.cells[0].id, "limits": {}},
            {"numaNode": node.cells[0].id},
        )
    )
    entries = written.get("reservedMemory", [])
    written["reservedMemory"] = random.choice(([], [entry], [*entries, entry], entries[1:], [*entries, *entries[:1]]))


def spoil_reservation(random: Random, node: NodeClass, written: Raw, known: Known) -> None:
    """Reserve what cannot be reserved, or more than there is."""
    field = random.choice(("kubeReserved", "systemReserved"))
    name = random.choice(("memory", "ephemeral-storage", "pid", "hugepages-2Mi", "nvidia.com/gpu"))
    written.setdefault(field, {})[name] = random.choice(("1Gi", "1000", "4000Ti", "-1", "1.5Gi", "half"))
    if random.random() < 0.5:  # noqa: PLR2004 - half of them
        fill_memory(random, node, written)


def spoil_kind(random: Random, node: NodeClass, written: Raw, known: Known) -> None:
    """Write a value of another kind, or a field that nobody knows."""
    field, value = random.choice(
        (
            ("cpuManagerPolicyOptions", {"full-pcpus-only": True}),
            ("systemReserved", {"cpu": 1, "memory": "256Mi"}),
            ("maxPods", "110"),
            ("maxPods", 110),
            ("cpuManagerReconcilePeriod", "5"),
            ("cpuManagerReconcilePeriod", "5s"),
            ("cpuManagerReconcilePeriod", 5),
            ("reservedSystemCPUs", 0),
            ("reservedSystemCpus", "0"),
            ("featureGates", {"PodLevelResources": "true"}),
            ("reservedMemory", {"numaNode": 0}),
            ("reservedMemory", [{"numaNode": "0", "limits": {"memory": "1Gi"}}]),
            ("enforceNodeAllocatable", "pods"),
            ("topologyManagerPolicy", None),
            ("apiVersion", "kubelet.config.k8s.io/v1"),
        )
    )
    written[field] = value


SPOILERS: tuple[Spoiler, ...] = (
    spoil_policy,
    spoil_option,
    spoil_topology_option,
    spoil_gate,
    spoil_cpus,
    spoil_group,
    spoil_eviction,
    spoil_memory,
    spoil_reservation,
    spoil_kind,
)
