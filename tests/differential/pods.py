"""Makes pods whose resources are written in every way the API server reads: seeded, so that every run sees the same."""

from collections.abc import Iterator
from random import Random
from typing import Any

Pod = dict[str, Any]

CPUS = ("0", "1", "2", "2.0", "2000m", "1500m", "1999.5m", "0.5", "500m", "1e1", "100u", "+4", "16", 4, 2.5, "1n", ".1")
MEMORIES = (
    "0", "1Gi", "1024Mi", "1.5Gi", "1073741824", "1e9", "1G", "1.2Gi", "64Gi", "128Mi", "4294967296500m", "1Ki",
    "100Ti", 536870912, "0.5Ki",
)  # fmt: skip
HUGE_PAGES = ("0", "2Mi", "4Mi", "1Gi", "1024Ki", "64Mi")
COUNTS = ("0", "1", "2", "4", "8", 1, "1k")
POOLS = {
    "cpu": CPUS,
    "memory": MEMORIES,
    "hugepages-2Mi": HUGE_PAGES,
    "hugepages-1Gi": HUGE_PAGES,
    "nvidia.com/gpu": COUNTS,
    "ephemeral-storage": MEMORIES,
}
OFTEN = {"cpu": 0.8, "memory": 0.75, "nvidia.com/gpu": 0.3}


def pods(count: int, seed: int | str) -> Iterator[Pod]:
    """Yield `count` pods."""
    random = Random(seed)  # noqa: S311 - tests want the same numbers again
    for _ in range(count):
        yield pod(random)


def pod(random: Random) -> Pod:
    """Make a pod of one to three containers, often with init containers, at times with resources of its own."""
    spec: Pod = {"containers": [container(random, f"app-{n}") for n in range(random.choice((1, 1, 1, 2, 3)))]}
    spec["initContainers"] = [init_container(random, f"init-{n}") for n in range(random.choice((0, 0, 1, 2, 3)))]
    if not spec["initContainers"] and random.random() < 0.9:
        del spec["initContainers"]
    if random.random() < 0.35:
        spec["resources"] = requirements(random, pod_level=random.random() < 0.9)
    if random.random() < 0.15:
        spec["overhead"] = resource_list(random, pod_level=True)
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "pod", "namespace": "default"}, "spec": spec}


def container(random: Random, name: str) -> Pod:
    """Make a container; one in ten says nothing about resources."""
    made: Pod = {"name": name, "image": "registry.example/ai/vllm:v1"}
    if random.random() < 0.9:
        made["resources"] = requirements(random)
    return made


def init_container(random: Random, name: str) -> Pod:
    """Make an init container or a sidecar."""
    made = container(random, name)
    if random.random() < 0.4:
        made["restartPolicy"] = "Always"
    return made


def requirements(random: Random, *, pod_level: bool = False) -> Pod:
    """Make requests and limits: equal, partly equal, one of them, none, null."""
    kind = random.randrange(10)
    limits = resource_list(random, pod_level=pod_level)
    requests = resource_list(random, pod_level=pod_level)
    if kind < 4:
        return {"limits": limits, "requests": {**limits}}
    if kind < 6:
        return {
            "limits": limits,
            "requests": {k: limits.get(k, v) for k, v in requests.items() if random.random() < 0.7},
        }
    if kind == 6:
        return {"limits": limits}
    if kind == 7:
        return {"requests": requests}
    empty = random.choice(({}, None))
    return random.choice(({"limits": limits, "requests": empty}, {"limits": empty, "requests": requests}, {}))


def resource_list(random: Random, *, pod_level: bool = False) -> Pod:
    """Make a map of resource names to quantities."""
    names = [name for name in POOLS if not pod_level or name in {"cpu", "memory"} or name.startswith("hugepages-")]
    return {name: random.choice(POOLS[name]) for name in names if random.random() < OFTEN.get(name, 0.1)}
