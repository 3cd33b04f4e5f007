"""Makes pods for a node: some that nearly fill its NUMA nodes, some of any size."""

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random
from typing import Any

from webhook.domain.topology import NodeClass

Raw = dict[str, Any]

CLASSES = (
    "Guaranteed",
    "Guaranteed",
    "Guaranteed",
    "Guaranteed",
    "Guaranteed",
    "Guaranteed",
    "Burstable",
    "BestEffort",
)
HUGE = {"2Mi": ("0", "2Mi", "64Mi", "256Mi", "600Mi"), "1Gi": ("0", "1Gi", "2Gi")}
WHOLE = {"cpu": "4", "memory": "4Gi"}
MIB = 1 << 20


FEW_PODS_ABOVE = 8
"""With more NUMA nodes the real kubelet takes long over each container."""


@dataclass(frozen=True)
class Room:
    """What a node has, and how the pods sent to it are sized: `snug` ones ask for multiples of a NUMA node."""

    cells: int
    cpus: int
    memory: int
    devices: dict[str, int]
    threads: int
    pages: tuple[str, ...]
    snug: bool


def pods(random: Random, node: NodeClass) -> tuple[Raw, ...]:
    """Make one to three pods."""
    size = room(random, node)
    number = random.choice((1, 2, 3) if size.cells <= FEW_PODS_ABOVE else (1,))
    return tuple(pod(random, size, f"pod-{n}") for n in range(number))


def room(random: Random, node: NodeClass) -> Room:
    """Measure a node, and choose how its pods are sized."""
    return Room(
        cells=len(node.cells),
        cpus=sum(cell.cpus.bit_count() for cell in node.cells),
        memory=sum(cell.memory for cell in node.cells) // MIB,
        devices={resource: len(devices) for resource, devices in node.devices.items()},
        threads=node.threads_per_core,
        pages=tuple(sorted({size for cell in node.cells for size in cell.hugepages})),
        snug=random.random() < 0.5,
    )


def pod(random: Random, room: Room, name: str) -> Raw:
    """Make a pod of app containers, init containers and sidecars; few have resources of their own."""
    qos = random.choice(CLASSES)
    apps = [container(random, room, f"app-{n}", qos) for n in range(random.choice((1, 1, 2, 3)))]
    inits = [container(random, room, f"init-{n}", qos) for n in range(random.choice((0, 0, 0, 1, 2, 3)))]
    for made in inits:
        if random.random() < 0.35:
            made["restartPolicy"] = "Always"
    keep_determined(room, inits, apps[0])
    spec: Raw = {"initContainers": inits, "containers": apps}
    if random.random() < 0.05:
        spec["resources"] = {"limits": WHOLE, "requests": WHOLE}
    return {"metadata": {"name": name}, "spec": spec}


def keep_determined(room: Room, inits: list[Raw], app: Raw) -> None:
    """Take devices from init containers where their reuse would depend on the order of a Go map.

    The kubelet hands the devices of init containers on in the order of a map (DM/manager.go:devicesToAllocate). That
    is determined where only one has any, and the first app container takes them all.
    """
    for resource in room.devices:
        wanted = int(app["resources"]["limits"].get(resource, "0"))
        for made in inits:
            resources = made["resources"]
            number = int(resources["limits"].get(resource, "0"))
            if number > wanted:
                resources["limits"].pop(resource)
                resources.get("requests", {}).pop(resource, None)
            elif number and made.get("restartPolicy") is None:
                wanted = 0


def container(random: Random, room: Room, name: str, qos: str) -> Raw:
    """Make a container as the class of its pod wants it; requests equal to limits may be left out."""
    limits = dict(snug(random, room) if room.snug else loose(random, room, small=name.startswith("init")))
    limits |= {f"hugepages-{size}": random.choice(HUGE[size]) for size in room.pages if random.random() < 0.3}
    if random.random() < 0.02:
        limits["example.com/absent"] = "1"
    if random.random() < 0.01:
        limits["hugepages-1Gi"] = "1Gi"
    requests = dict(limits)
    if qos == "BestEffort":
        limits = {key: value for key, value in limits.items() if "/" in key}
        requests = dict(limits)
    elif qos == "Burstable" and random.random() < 0.5:
        requests["cpu"] = "100m"
    elif qos == "Burstable":
        del limits["cpu"]
    elif random.random() < 0.2:
        return {"name": name, "resources": {"limits": limits}}
    return {"name": name, "resources": {"limits": limits, "requests": requests}}


def snug(random: Random, room: Room) -> Iterator[tuple[str, str]]:
    """Yield amounts near a multiple of what one NUMA node has."""
    cells = random.choice((1, 1, 2, 2, 3, room.cells)) * random.choice((1, 1, 1, 0.5)) / room.cells
    part = random.choice((1, 0.9, 0.8, 0.7))
    cpus = int(room.cpus * cells * part)
    yield "cpu", str(max(room.threads, cpus - cpus % room.threads))
    yield "memory", f"{max(1, int(room.memory * cells * part))}Mi"
    for resource, number in room.devices.items():
        if random.random() < 0.8:
            yield resource, str(max(1, int(number * cells)))


def loose(random: Random, room: Room, *, small: bool) -> Iterator[tuple[str, str]]:
    """Yield amounts of any size: fractional CPUs, zero devices, more than there is."""
    share = random.choice((0.1, 0.25, 0.5) if small else (0.15, 0.3, 0.5, 1))
    cpus = max(1, round(random.random() * room.cpus * share))
    yield "cpu", random.choice((f"{cpus}", f"{cpus}", f"{cpus}", f"{cpus}.0", f"{cpus}000m", f"{cpus * 1000 - 500}m"))
    memory = max(1, round(random.random() * room.memory * share))
    yield "memory", f"{memory}Mi" if random.random() > 0.02 else f"{memory * MIB}500m"
    for resource, number in room.devices.items():
        if random.random() < 0.5:
            yield resource, str(random.randint(random.random() > 0.2, max(1, round(number * share))))
