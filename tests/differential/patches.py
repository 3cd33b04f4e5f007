"""Makes pods as a mutating webhook may meet them, and pairs of documents that differ: seeded, as all questions are."""

import copy
from collections.abc import Iterator
from random import Random
from typing import Any

from differential.pods import pod

Json = Any

IMAGES = ("registry.example/ai/vllm:v1", "registry.example/ai/vllm:v1", "istio/proxyv2:1", "registry.example/own")
TEXTS = ("", "a", "a/b", "~", "~1", "~0", "~01", "é", "\u2028", "<&>", '"\\', "0", "-", "\x7f", "a" * 80)
KEYS = ("a", "b", "a/b", "example.com/a~b", "~", "~1", "", "0", "1", "-", "é", "<b>", "\u2028", "a b", "limits", "%2F")
SCALARS = (None, True, False, 0, 1, -1, 1.5, 10**17, *TEXTS)
ANNOTATIONS = ("numagate.io/alignment", "example.com/a~b", "team/own", "~/~", "é/ü")


def pods(count: int, seed: str) -> Iterator[dict[str, Any]]:
    """Yield `count` pods, most with accelerators, some with null, empty or missing maps and lists."""
    random = Random(seed)  # noqa: S311 - tests want the same numbers again
    for _ in range(count):
        made = pod(random)
        if random.random() < 0.8:
            make_ordinary(made["spec"], random)
        for section in ("annotations", "labels"):
            if random.random() < 0.6:
                made["metadata"][section] = random.choice((None, {}, texts(random)))
        for key in ("initContainers", "nodeSelector", "tolerations", "volumes"):
            if key not in made["spec"] and random.random() < 0.1:
                made["spec"][key] = None
        yield made


def make_ordinary(spec: dict[str, Any], random: Random) -> None:
    """Let a pod be one for an inference server, with values that can be repaired, or need not be."""
    for key in ("resources", "overhead", "initContainers"):
        spec.pop(key, None)
    server, *helpers = spec["containers"]
    server["image"] = IMAGES[0]
    server["resources"] = accelerated(random)
    for helper in helpers:
        helper["image"] = random.choice(IMAGES)
        helper["resources"] = random.choice((None, {}, {"limits": None}, {"requests": {}, "limits": None}))
        if random.random() < 0.3:
            del helper["resources"]


def accelerated(random: Random) -> dict[str, Any]:
    """Make resources with GPUs, often with CPU and memory beside them that can be repaired."""
    limits = {"nvidia.com/gpu": random.choice(("1", "2", "2", "4"))}
    for resource, values in (("cpu", ("8", "7500m", "16")), ("memory", ("32Gi", "1.2Gi", "64Gi"))):
        if random.random() < 0.7:
            limits[resource] = random.choice(values)
    requests = {key: value for key, value in limits.items() if random.random() < 0.5}
    return {"limits": limits, **({"requests": requests} if random.random() < 0.7 else {})}


def texts(random: Random) -> dict[str, str]:
    """Make a map of texts with names that a pointer must escape."""
    return {key: random.choice(TEXTS) for key in random.sample(ANNOTATIONS, random.randrange(1, 4))}


def pairs(count: int, seed: str) -> Iterator[tuple[Json, Json]]:
    """Yield `count` pairs of objects: the second is the first with a few changes, or something else altogether."""
    random = Random(seed)  # noqa: S311 - as above
    for _ in range(count):
        before = {key: value(random, 3) for key in random.sample(KEYS, random.randrange(1, 6))}
        after = copy.deepcopy(before)
        for _ in range(random.randrange(4)):
            change(after, random)
        yield before, after


def value(random: Random, depth: int) -> Json:
    """Make a JSON value."""
    kind = random.random() if depth else 1.0
    if kind < 0.3:
        return {key: value(random, depth - 1) for key in random.sample(KEYS, random.randrange(4))}
    if kind < 0.5:
        return [value(random, depth - 1) for _ in range(random.randrange(4))]
    return random.choice(SCALARS)


def change(parent: Json, random: Random) -> None:
    """Change something in a document, at whatever depth."""
    steps = list(parent) if isinstance(parent, dict) else list(range(len(parent)))
    inner = [parent[step] for step in steps if isinstance(parent[step], dict | list)]
    if inner and random.random() < 0.6:
        change(random.choice(inner), random)
    elif isinstance(parent, dict):
        if steps and random.random() < 0.3:
            del parent[random.choice(steps)]
        else:
            parent[random.choice(KEYS)] = value(random, 2)
    elif steps and random.random() < 0.7:
        parent[random.choice(steps)] = value(random, 1)
    else:
        parent.insert(random.randrange(len(parent) + 1), value(random, 1))
