"""Makes node classes of every shape that the kubelet's managers tell apart: small, so that pods soon fill them."""

from collections.abc import Iterator
from collections.abc import Mapping
from dataclasses import replace
from itertools import count
from random import Random
from typing import Any

from webhook.domain.quantity import Quantity
from webhook.domain.topology import Cell
from webhook.domain.topology import Core
from webhook.domain.topology import Device
from webhook.domain.topology import KubeletSettings
from webhook.domain.topology import NodeClass

GPU, NIC = "nvidia.com/gpu", "example.com/nic"
MIB, GIB = 1 << 20, 1 << 30

CELLS = (1, 2, 2, 2, 2, 3, 4, 4, 5, 6, 7, 8)
MANY_CELLS = 6
"""From here on three kinds of hints have so many combinations that the real kubelet takes seconds over a pod."""
VAST = (9, 9, 9, 10, 10, 11, 12, 12, 13, 14, 15, 16)
VAST_SHARE = 0.006
"""Hints alone cost the real kubelet a second then, combined ones more: few such nodes, with few kinds of hints."""
THREE_KINDS, TWO_KINDS = 7, 10
"""Up to so many NUMA nodes the real kubelet merges as many kinds of hints in time."""

MAX_CELLS = 8
"""More need the option max-allowable-numa-nodes."""

PAGES = {"2Mi": (0, 256, 512), "1Gi": (0, 1, 2)}
POLICIES = ("single-numa-node", "restricted", "best-effort", "none")
CPU_OPTIONS = {
    "full-pcpus-only": 0.3,
    "strict-cpu-reservation": 0.15,
    "prefer-align-cpus-by-uncorecache": 0.15,
    "distribute-cpus-across-numa": 0.2,
    "align-by-socket": 0.1,
    "distribute-cpus-across-cores": 0.1,
}
SPOILED_SHARE = 0.04
SPOILS: tuple[tuple[str, Any, Any], ...] = (
    ("cpu_manager_policy", None, "dynamic"),
    ("cpu_manager_policy_options", "full-pcpus", "true"),
    ("cpu_manager_policy_options", "full-pcpus-only", "yes"),
    ("cpu_manager_policy_options", "full-pcpus-only", "0"),
    ("cpu_manager_policy_options", "distribute-cpus-across-numa", "T"),
    ("feature_gates", "CPUManagerPolicyBetaOptions", False),
    ("memory_manager_policy", None, "BestEffort"),
    ("memory_manager_policy", None, "Dynamic"),
    ("topology_manager_policy", None, "two-numa-nodes"),
    ("topology_manager_policy_options", "prefer-closest-numa-nodes", "1"),
    ("topology_manager_policy_options", "prefer-closest-numa-nodes", "on"),
    ("topology_manager_policy_options", "prefer-closest", "true"),
    ("topology_manager_policy_options", "max-allowable-numa-nodes", "many"),
    ("topology_manager_policy_options", "max-allowable-numa-nodes", "+9"),
    ("reserved_system_cpus", None, 1 << 200),
    ("reserved_memory", 77, {"memory": GIB}),
    ("node_allocatable_reservation", "cpu", None),
    ("node_allocatable_reservation", "cpu", Quantity.parse("0")),
    ("node_allocatable_reservation", "cpu", Quantity.parse("64")),
    ("node_allocatable_reservation", "memory", None),
    ("reserved_memory", 0, {}),
)
"""Fields of the settings, keys within them, and values that spoil them, or that look as if they did."""
ALPHA_OPTIONS = "CPUManagerPolicyAlphaOptions"


def node_class(random: Random) -> NodeClass:
    """Make a node class; a few have a kubelet that does not start."""
    number = random.choice(VAST if random.random() < VAST_SHARE else CELLS)
    ids = list(range(number)) if random.random() < 0.9 else sorted(random.sample(range(number + 3), number))
    policy = random.choices(POLICIES, weights=(3, 3, 3, 1))[0]
    hinted = hinted_by(random, number, policy)
    pinned = random.random() < 0.75 and "memory" in hinted
    cells = tuple(made_cells(random, ids, huge_pages=number < MANY_CELLS))
    resources = (GPU, NIC) if number < MANY_CELLS else (GPU,) if "devices" in hinted else ()
    return NodeClass(
        name="made",
        cells=cells,
        devices=dict(made_devices(random, ids if number <= TWO_KINDS else ids[:2], resources)),
        kubelet=spoiled(random, settings(random, cells, policy, memory_pinned=pinned)),
    )


def hinted_by(random: Random, number: int, policy: str) -> set[str]:
    """Choose what may give hints beside CPUs; single-numa-node keeps few of them, and can have all."""
    if number < MANY_CELLS or policy in {"single-numa-node", "none"}:
        return {"memory", "devices"}
    if number <= THREE_KINDS and random.random() < 0.2:
        return {"memory", "devices"}
    return {random.choice(("memory", "devices"))} if number <= TWO_KINDS else {"devices"}


def made_cells(random: Random, ids: list[int], *, huge_pages: bool) -> Iterator[Cell]:
    """Yield NUMA nodes: equal ones for the most part, some without CPUs, some without a distance table."""
    cores = made_cores(random, ids)
    memory = random.choice((8, 16, 32))
    sizes = [size for size in PAGES if huge_pages and random.random() < 0.25]
    for position, name in enumerate(ids):
        near = [10 if other == name else 11 if other // 2 == name // 2 else 20 for other in range(ids[-1] + 1)]
        yield Cell(
            id=name,
            memory=(memory if random.random() < 0.8 else random.choice((8, 16, 64))) * GIB,
            cores=cores[position],
            hugepages={size: random.choice(PAGES[size]) for size in sizes if random.random() < 0.98},
            distances=tuple(near) if random.random() < 0.97 else (),
        )


def made_cores(random: Random, ids: list[int]) -> list[tuple[Core, ...]]:
    """Number cores node by node or in turns, second threads after all the first ones; answer them by NUMA node."""
    usual = random.choice((1, 2, 3, 4, 6) if len(ids) < MANY_CELLS else (1, 2, 4))
    sizes = [usual if random.random() < 0.85 else random.randint(position == 0, 6) for position in range(len(ids))]
    order = [(position, n) for position, size in enumerate(sizes) for n in range(size)]
    if random.random() < 0.3:
        order.sort(key=lambda place: place[::-1])
    smt = random.choice(((1,), (2,), (2,), (2,), (1, 2)) if random.random() < 0.5 else ((1,), (2,), (2,)))
    per_socket = random.choice((1, 1, 2, len(ids)))
    split_sockets = len(ids) <= 2 and random.random() < 0.15
    cache = random.choice((1, 2, 3)) if random.random() < 0.3 else 0
    seconds = count(len(order))
    cores: list[list[Core]] = [[] for _ in ids]
    for first, (position, n) in enumerate(order):
        threads = (first,) if random.choice(smt) == 1 else (first, next(seconds))
        socket = 2 * position + n % 2 if split_sockets else position // per_socket
        cores[position].append(Core(threads, socket, 100 * position + n // cache if cache else None))
    return [tuple(found) for found in cores]


def made_devices(
    random: Random, ids: list[int], resources: tuple[str, ...]
) -> Iterator[tuple[str, tuple[Device, ...]]]:
    """Yield devices, as a rule of one NUMA node each; else of several, of none, or of one that is not there."""
    for resource in resources:
        if random.random() > (0.9 if resource == GPU else 0.4):
            continue
        usual = random.choice((1, 2, 4))
        kind = random.choices(("one", "several", "none", "empty", "elsewhere"), weights=(80, 8, 8, 2, 2))[0]
        sick = 0.05 if random.random() < 0.8 else 0.3
        devices = []
        for cell in ids:
            number = 0 if random.random() < 0.2 else usual if random.random() < 0.8 else random.randint(1, 4)
            for n in range(number):
                numa = homes(random, kind, cell, ids)
                devices.append(Device(f"{resource}-{cell}-{n}", numa, healthy=random.random() >= sick))
        # Which ones a plug-in prefers is its own affair: here, and in the simulation, those with topology.
        yield resource, tuple(sorted(devices, key=lambda device: not device.numa))


def homes(random: Random, kind: str, cell: int, ids: list[int]) -> tuple[int, ...] | None:
    """Answer the NUMA nodes of a device; only some devices of an odd kind are odd."""
    if kind == "one" or random.random() < 0.4:
        return (cell,)
    if kind == "several":
        return tuple(sorted(random.sample(ids, min(2, len(ids)))))
    return {"none": None, "empty": (), "elsewhere": (cell + 50,)}[kind]


def settings(random: Random, cells: tuple[Cell, ...], policy: str, *, memory_pinned: bool) -> KubeletSettings:
    """Make the kubelet's settings; memory reserved by NUMA node adds up to the whole, but for a few."""
    static = random.random() < 0.9
    reserved = reserved_memory(random, cells)
    return KubeletSettings(
        cpu_manager_policy="static" if static else "none",
        cpu_manager_policy_options=cpu_options(random) if static or random.random() < 0.05 else {},
        memory_manager_policy="Static" if memory_pinned else "None",
        topology_manager_policy=policy,
        topology_manager_scope=random.choice(("container", "pod")),
        topology_manager_policy_options=topology_options(random, len(cells)),
        reserved_system_cpus=reserved_cpus(random, cells) if random.random() < 0.6 else None,
        node_allocatable_reservation=reservation(random, cells, reserved),
        reserved_memory=reserved if memory_pinned else {},
        feature_gates={ALPHA_OPTIONS: True} if random.random() < 0.97 else {},
    )


def spoiled(random: Random, made: KubeletSettings) -> KubeletSettings:
    """Spoil one setting of a few static kubelets, which do not start then; None takes something away."""
    if random.random() > SPOILED_SHARE or made.cpu_manager_policy != "static":
        return made
    field, key, value = random.choice(SPOILS)
    if key is None:
        return replace(made, **{field: value})
    others = {name: old for name, old in getattr(made, field).items() if name != key}
    return replace(made, **{field: others if value is None else {**others, key: value}})


def cpu_options(random: Random) -> dict[str, str]:
    """Make options of the CPU manager; some exclude each other, and such a kubelet does not start."""
    return {name: "true" for name, share in CPU_OPTIONS.items() if random.random() < share}


def topology_options(random: Random, number: int) -> dict[str, str]:
    """Make options of the topology manager."""
    options = {"prefer-closest-numa-nodes": "true"} if random.random() < 0.3 else {}
    limit = {"max-allowable-numa-nodes": random.choice(("4", "8", "16") if number <= MAX_CELLS else ("16", "16", "32"))}
    return options | (limit if random.random() < (0.03 if number <= MAX_CELLS else 0.9) else {})


def reserved_cpus(random: Random, cells: tuple[Cell, ...]) -> int:
    """Reserve a whole core, or a few CPUs anywhere."""
    cores = [core.threads for cell in cells for core in cell.cores]
    threads = [thread for core in cores for thread in core]
    few = random.sample(threads, random.randint(1, min(3, len(threads))))
    return sum(1 << thread for thread in (random.choice(cores) if random.random() < 0.6 else few))


def reserved_memory(random: Random, cells: tuple[Cell, ...]) -> dict[int, dict[str, int]]:
    """Reserve memory on most NUMA nodes, and at times huge pages on the first of them."""
    chosen = [cell for cell in cells if random.random() < 0.8] or [cells[-1]]
    limits = {cell.id: {"memory": random.choice((512, 1024, 2048)) * MIB} for cell in chosen}
    if chosen[0].hugepages.get("2Mi") and random.random() < 0.2:
        limits[chosen[0].id]["hugepages-2Mi"] = 64 * MIB
    return limits


def reservation(
    random: Random, cells: tuple[Cell, ...], reserved: Mapping[int, Mapping[str, int]]
) -> dict[str, Quantity]:
    """Answer what the kubelet reserves of the whole node, never more CPUs than it has: the oracle does not see that."""
    totals: dict[str, int] = {}
    for limits in reserved.values():
        for name, size in limits.items():
            totals[name] = totals.get(name, 0) + size
    if random.random() < 0.02:
        totals["memory"] = GIB
    single = sum(cell.cpus.bit_count() for cell in cells) == 1
    cpu = Quantity.parse(random.choice(("1", "500m") if single else ("1", "1", "2", "500m", "1500m")))
    return {"cpu": cpu, **{name: Quantity.of_bytes(size) for name, size in totals.items()}}
