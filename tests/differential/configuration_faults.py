"""Puts faults into KubeletConfigurations: values that no kubelet takes, and such that look as if."""

from differential.configurations import Fault
from differential.configurations import Making
from differential.configurations import fill_memory

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


def spoil_policy(made: Making) -> None:
    """Misspell a policy or a scope."""
    words = {
        "cpuManagerPolicy": ("Static", "dynamic", ""),
        "memoryManagerPolicy": ("static", "BestEffort", ""),
        "topologyManagerPolicy": ("single-numa", "Restricted", ""),
        "topologyManagerScope": ("node", "Pod", ""),
    }
    field = made.random.choice(sorted(words))
    made.written[field] = made.random.choice(words[field])


def spoil_option(made: Making) -> None:
    """Write options of the CPU manager that may not go together, or need a gate, or are nonsense."""
    names = made.random.sample((*OPTIONS, "full-pcpus"), made.random.choice((1, 2, 2, 3)))
    made.written["cpuManagerPolicyOptions"] = {
        name: made.random.choice(("true", "true", "false", "T", "yes", "")) for name in names
    }
    if made.random.random() < 0.5:
        made.written.setdefault("featureGates", {})["CPUManagerPolicyAlphaOptions"] = True


def spoil_topology_option(made: Making) -> None:
    """Write options of the topology manager."""
    name, value = made.random.choice(
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
    made.written["topologyManagerPolicyOptions"] = {name: value}


def spoil_gate(made: Making) -> None:
    """Set a feature gate: one of alignment, any one, or none that there is."""
    name = made.random.choice((made.random.choice(GATES), made.random.choice(sorted(made.known.gates)), "NoSuchGate"))
    made.written.setdefault("featureGates", {})[name] = made.random.choice((True, False))


def spoil_cpus(made: Making) -> None:
    """Reserve CPUs that are not there, none, or badly written ones; or by number."""
    made.written.pop("reservedSystemCPUs", None)
    made.written["systemReserved"].pop("cpu", None)
    if made.random.random() < 0.5:
        made.written["reservedSystemCPUs"] = made.random.choice(
            ("", "0,0", "0, 1", "900", "0-", "1-0", "a", "0-1000000")
        )
    elif made.random.random() < 0.7:
        made.written["systemReserved"]["cpu"] = made.random.choice(("0", "1n", "64", "900", "-1", "two", "1500m"))


def spoil_group(made: Making) -> None:
    """Name cgroups, and what is to be enforced on them."""
    some = ("pods", "none", "system-reserved", "kube-reserved", "system-reserved-compressible", "nodes", "pods")
    made.written["enforceNodeAllocatable"] = [
        made.random.choice(some) for _ in range(made.random.choice((0, 1, 1, 2, 3)))
    ]
    made.written["cgroupsPerQOS"] = made.random.choice((True, True, False))
    for name in ("systemReservedCgroup", "kubeReservedCgroup"):
        if made.random.random() < 0.4:
            made.written[name] = "/system.slice"


def spoil_eviction(made: Making) -> None:
    """Write a threshold that cannot be read, or that changes the sum."""
    signal = made.random.choice(("memory.available", "nodefs.available", "memory.free", "imagefs.inodesFree"))
    value = made.random.choice(("100Mi", "0", "-1Gi", "5%", "0%", "100%", "101%", "many", "2.5%", "1G"))
    made.written.setdefault("evictionHard", {})[signal] = value
    if made.random.random() < 0.5:
        fill_memory(made)


def spoil_memory(made: Making) -> None:
    """Reserve on the NUMA nodes something else than in sum."""
    entry = made.random.choice(
        (
            {"numaNode": made.node.cells[0].id, "limits": {"hugepages-2Mi": "64Mi"}},
            {"numaNode": made.node.cells[-1].id, "limits": {"memory": "1Mi"}},
            {"numaNode": 77, "limits": {"memory": "1Mi"}},
            {"numaNode": made.node.cells[0].id, "limits": {"memory": "0"}},
            {"numaNode": made.node.cells[0].id, "limits": {"cpu": "1"}},
            {"numaNode": made.node.cells[0].id, "limits": {}},
            {"numaNode": made.node.cells[0].id},
        )
    )
    entries = made.written.get("reservedMemory", [])
    made.written["reservedMemory"] = made.random.choice(
        ([], [entry], [*entries, entry], entries[1:], [*entries, *entries[:1]])
    )


def spoil_reservation(made: Making) -> None:
    """Reserve what cannot be reserved, or more than there is."""
    field = made.random.choice(("kubeReserved", "systemReserved"))
    name = made.random.choice(("memory", "ephemeral-storage", "pid", "hugepages-2Mi", "nvidia.com/gpu"))
    made.written.setdefault(field, {})[name] = made.random.choice(("1Gi", "1000", "4000Ti", "-1", "1.5Gi", "half"))
    if made.random.random() < 0.5:
        fill_memory(made)


def spoil_kind(made: Making) -> None:
    """Write a value of another kind, or a field that nobody knows."""
    field, value = made.random.choice(
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
    made.written[field] = value


def spoil_socket(made: Making) -> None:
    """Align by socket, which does not go with every policy and machine."""
    made.written["cpuManagerPolicyOptions"] = {"align-by-socket": "true"}
    made.written["featureGates"] = {"CPUManagerPolicyAlphaOptions": made.random.random() < 0.9}


def spoil_many(made: Making) -> None:
    """Forget that the machine has many NUMA nodes, where it has."""
    made.written.pop("topologyManagerPolicyOptions", None)


SPOILERS: tuple[Fault, ...] = (
    spoil_many,
    spoil_socket,
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
