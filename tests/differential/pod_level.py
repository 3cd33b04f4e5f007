"""Makes pods with resources of their own, for nodes with the gate PodLevelResourceManagers on."""

from collections.abc import Iterator
from dataclasses import dataclass
from dataclasses import replace
from random import Random

from differential import arrivals
from differential.arrivals import MIB
from differential.arrivals import Raw
from differential.arrivals import Room

from webhook.domain.topology import POD_LEVEL_GATE
from webhook.domain.topology import NodeClass

KINDS = ("own", "own", "own", "bare", "bare", "fractional", "burstable", "other memory")
"""What a container says of itself: all of its CPU and memory, nothing, or not enough to be Guaranteed on its own."""

FRACTION_OF_A_BYTE = 0.01


@dataclass(frozen=True)
class Total:
    """CPUs and MiB that a pod, or one of its containers, may ask for; an `overdrawn` pod's containers ask for more."""

    cpus: int
    memory: int
    overdrawn: bool


def with_gate(random: Random, node: NodeClass) -> NodeClass:
    """Switch the gate on; in pod scope more often than not."""
    kubelet = node.kubelet
    scope = "pod" if random.random() < 0.7 else "container"
    gates = {**kubelet.feature_gates, POD_LEVEL_GATE: True}
    return replace(node, kubelet=replace(kubelet, topology_manager_scope=scope, feature_gates=gates))


def pods(random: Random, node: NodeClass, ordinary: tuple[Raw, ...]) -> tuple[Raw, ...]:
    """Put pods with resources of their own into the place of most ordinary ones, and some more beside them."""
    room = arrivals.room(random, node)
    made = [
        one if random.random() < 0.2 else pod(random, room, f"whole-{number}")
        for number, one in enumerate((*ordinary, *ordinary[: random.choice((0, 0, 1, 2))]))
    ]
    for number, one in enumerate(made):
        one["metadata"] = {"name": f"pod-{number}"}
    return tuple(made)


def pod(random: Random, room: Room, name: str) -> Raw:
    """Make a pod; what its containers ask for is within its total, but for a few that no API server takes."""
    total = Total(
        cpus=max(1, int(room.cpus * portion(random, room))),
        memory=max(8, int(room.memory * portion(random, room))),
        overdrawn=random.random() < 0.03,
    )
    if random.random() < 0.7:
        total = replace(total, cpus=max(room.threads, total.cpus - total.cpus % room.threads))
    kinds = random.choice((KINDS, KINDS, ("own",), ("own", "bare"), ("bare",)))
    apps = [f"app-{n}" for n in range(random.choice((1, 1, 2, 3)))]
    inits = [f"init-{n}" for n in range(random.choice((0, 0, 1, 1, 2, 3)))]
    sidecars = [init for init in inits if random.random() < 0.4]
    shares = dict(divided(random, total, [*apps, *sidecars]))
    chosen = {name: random.choice(kinds) for name in (*inits, *apps)}
    if random.random() < 0.15:
        greedy = (sidecars or apps)[0] if random.random() < 0.6 else random.choice([*apps, *sidecars])
        chosen = dict.fromkeys(chosen, "bare") | {greedy: "own"}
        shares[greedy] = replace(total, cpus=max(1, total.cpus - random.choice((0, 1))))
    made = {name: container(random, room, name, kind, shares.get(name, total)) for name, kind in chosen.items()}
    for sidecar in sidecars:
        made[sidecar]["restartPolicy"] = "Always"
    spec: Raw = {
        "initContainers": [made[init] for init in inits],
        "containers": [made[app] for app in apps],
        "resources": resources(random, room, total),
    }
    arrivals.keep_determined(room, spec["initContainers"], spec["containers"][0])
    return {"metadata": {"name": name}, "spec": spec}


def portion(random: Random, room: Room) -> float:
    """Answer which part of the node a pod asks for."""
    if room.snug:
        return random.choice((1, 1, 2, room.cells)) / room.cells * random.choice((1, 0.9, 0.75, 0.5))
    return random.random() * random.choice((0.2, 0.5, 1.1))


def divided(random: Random, total: Total, names: list[str]) -> Iterator[tuple[str, Total]]:
    """Yield what each of the containers that run together may ask for; at times nothing is left of the total."""
    left = total
    exact = random.random() < 0.4
    for number, name in enumerate(names):
        rest = len(names) - number
        part = left if rest == 1 and exact else replace(left, cpus=left.cpus // rest, memory=left.memory // rest)
        yield name, part
        if not total.overdrawn:
            left = replace(left, cpus=left.cpus - part.cpus, memory=left.memory - part.memory)


def container(random: Random, room: Room, name: str, kind: str, most: Total) -> Raw:
    """Make a container of a kind; devices and huge pages are as they come."""
    limits = dict(extras(random, room))
    full = random.random() < 0.6
    cpus = most.cpus if full else random.randint(min(1, most.cpus), max(1, most.cpus // 2))
    memory = max(1, most.memory if full else most.memory // 2)
    if kind != "bare":
        fraction = kind == "fractional" and cpus
        limits["cpu"] = f"{cpus * 1000 - 500}m" if fraction else random.choice((f"{cpus}", f"{cpus}000m"))
        limits["memory"] = f"{memory}Mi"
        if random.random() < FRACTION_OF_A_BYTE:
            limits["memory"] = f"{memory * MIB * 1000 - 500}m"
    requests = dict(limits)
    if kind == "burstable":
        requests["cpu"] = "100m"
    elif kind == "other memory":
        requests["memory"] = "1Mi"
    elif random.random() < 0.2:
        return {"name": name, "resources": {"limits": limits}}
    return {"name": name, "resources": {"limits": limits, "requests": requests}}


def extras(random: Random, room: Room) -> Iterator[tuple[str, str]]:
    """Yield devices and huge pages."""
    for resource, number in room.devices.items():
        if random.random() < 0.4:
            yield resource, str(random.randint(random.random() > 0.1, max(1, number // 2)))
    for size in room.pages:
        if random.random() < 0.3:
            yield f"hugepages-{size}", random.choice(arrivals.HUGE[size])


def resources(random: Random, room: Room, total: Total) -> Raw:
    """Write the pod's own resources: limits only, equal, requests below, with huge pages, with a fraction."""
    limits = {"cpu": f"{total.cpus}", "memory": f"{total.memory}Mi"}
    if random.random() < 0.12:
        limits["cpu"] = f"{total.cpus * 1000 - random.choice((500, 0))}m"
    if random.random() < FRACTION_OF_A_BYTE:
        limits["memory"] = f"{total.memory * MIB * 1000 - 500}m"
    for size in room.pages:
        if random.random() < 0.4:
            limits[f"hugepages-{size}"] = random.choice((*arrivals.HUGE[size], "600Mi" if size == "2Mi" else "3Gi"))
    kind = random.random()
    if kind < 0.25:
        return {"limits": limits}
    if kind < 0.3:
        return {"limits": limits, "requests": {**limits, "cpu": "100m"}}
    if kind < 0.34:
        return {"limits": {"memory": limits["memory"]}}
    if kind < 0.36:
        return {"requests": limits}
    return {"limits": limits, "requests": dict(limits)}
