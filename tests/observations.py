"""Makes what a node shows, and verdicts on its pods: a machine of two NUMA nodes, unless a test wants another."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from builders import GPU
from builders import INSTANT

from webhook.domain.observation import Machine
from webhook.domain.observation import Observation
from webhook.domain.observation import ObservedContainer
from webhook.domain.observation import ObservedDevice
from webhook.domain.observation import ObservedPod
from webhook.domain.quantity import Quantity
from webhook.domain.topology import Cell
from webhook.domain.topology import Core
from webhook.domain.topology import KubeletSettings
from webhook.domain.verdict import Outcome
from webhook.domain.verdict import PodVerdict
from webhook.domain.verdict import RuleVerdict

GIB = 1 << 30
SETTINGS = KubeletSettings(
    cpu_manager_policy="static",
    cpu_manager_policy_options={"full-pcpus-only": "true"},
    memory_manager_policy="Static",
    topology_manager_policy="single-numa-node",
    topology_manager_scope="pod",
    reserved_system_cpus=0b1_0000_0001,
    node_allocatable_reservation={"cpu": Quantity.parse("2"), "memory": Quantity.parse("2Gi")},
    reserved_memory={0: {"memory": GIB}, 1: {"memory": GIB}},
    version=(1, 37),
)
"""CPUs 0 and 8, which are one core, and 1 GiB of each NUMA node are kept back."""


def cell(number: int, *, cores: int = 4, of: int = 2, memory: int = 64 * GIB, **fields: Any) -> Cell:
    """Make a NUMA node with two threads a core, numbered as Linux does: first the first threads of all."""
    total = cores * of
    threads = [(number * cores + core, total + number * cores + core) for core in range(cores)]
    distances = tuple(10 if other == number else 21 for other in range(of))
    made = Cell(number, memory, tuple(Core(pair, number) for pair in threads), distances=distances)
    return replace(made, **fields)


def machine(*cells: Cell, online: int | None = None) -> Machine:
    """Make a machine, of two NUMA nodes unless given, whose CPUs are all online."""
    chosen = cells or (cell(0), cell(1))
    everything = 0
    for one in chosen:
        everything |= one.cpus
    return Machine(chosen, everything if online is None else online)


def gpus(*cells: int | None, resource: str = GPU) -> tuple[ObservedDevice, ...]:
    """Make devices by their bit sets of NUMA nodes; None is one of which nobody says where it is."""
    return tuple(ObservedDevice(resource, f"GPU-{number}", home) for number, home in enumerate(cells))


def held(name: str = "server", **fields: Any) -> ObservedContainer:
    """Make a container that has started; `fields` are what PodResources says of it."""
    told: dict[str, Any] = {"exclusive_cpus": 0, "pinned_memory": {}, "devices": (), **fields}
    return ObservedContainer(name=name, id=f"containerd://{name}", started=INSTANT, cgroup=None, processes=(), **told)


def observed(*containers: ObservedContainer, **fields: Any) -> Observation:
    """Make an observation of a node with one pod; `fields` replace what it shows."""
    pods = (ObservedPod("team-a", "llm", "uid-1", {}, containers),) if containers else ()
    told: dict[str, Any] = {
        "node": "node-a",
        "instant": INSTANT,
        "machine": machine(),
        "kubelet": SETTINGS,
        "devices": gpus(1, 1, 2, 2),
        **fields,
    }
    return Observation(pods=pods, **told)


def found(outcome: Outcome, name: str = "llm", *, reasons: Mapping[str, str] | None = None) -> PodVerdict:
    """Make the verdict on a pod; `reasons` are those of rules with the same outcome, by their code."""
    rules = tuple(
        RuleVerdict(code, "server", outcome, reason, "4 exclusive CPUs", "0-3")
        for code, reason in (reasons or {"cpus": "CPUs on NUMA nodes 0 and 1"}).items()
    )
    return PodVerdict("team-a", name, f"uid-{name}", outcome, rules, None)
