"""Times decisions: remembered or not, on one to a hundred node classes, and on inputs that are meant to be slow."""

import json
from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from itertools import count
from itertools import islice
from typing import Any

from bench.timing import ROUNDS
from bench.timing import WARM_UP
from bench.timing import Table
from builders import container
from builders import equal
from builders import mutating
from builders import pod
from builders import request
from builders import world

from webhook.domain.jsonpatch import apply
from webhook.engine.request import Request
from webhook.engine.review import review
from webhook.engine.world import World
from webhook.server.recall import Recall
from webhook.sources.policy_file import load_profile

MACHINE = "generic-2x4"
MIB = 1 << 20
MOST_CALLS = ROUNDS + WARM_UP

PLAIN = pod(container(**equal("16", "64Gi", 2)))
SIX = pod(
    container(**equal("16", "64Gi", 2)),
    *(container(f"helper-{number}", **equal("100m", "64Mi", None)) for number in range(3)),
    init=(
        container("load", **equal("16", "64Gi", None)),
        container("proxy", restartPolicy="Always", **equal("100m", "64Mi", None)),
    ),
)
REPAIRED = pod(
    container(**equal("16", "64Gi", 2)),
    *(container(f"helper-{number}", requests={"cpu": "100m"}) for number in range(3)),
    init=(container("load"), container("proxy", restartPolicy="Always")),
)
REFUSED = pod(container(**equal("16", "64Gi", 8)))
PODS = {
    "2 GPUs, one container": PLAIN,
    "six containers": SIX,
    "six containers, to be repaired": REPAIRED,
    "8 GPUs, refused": REFUSED,
}


def decisions(table: Table) -> None:
    """Time one pass after the other for one node class, then both on several classes and machines.

    Every pod is of another size, so that nothing is remembered, but where a line says so.
    """
    known, elsewhere = world(), world(replace(load_profile(MACHINE)))
    table.head("decision, 1 node class")
    for name, obj in PODS.items():
        table.add(f"{name}: mutating", _unseen(map(mutating, _sizes(obj)), known))
        validating = (request(patched(one, elsewhere)) for one in _sizes(obj))
        table.add(f"{name}: validating", _unseen(validating, known))
    recall = Recall()
    for name, obj in PODS.items():
        validate = request(patched(obj, known))
        table.add(f"{name}: size seen", partial(review, validate, known), than=f"{name}: validating")
        table.add(f"{name}: remembered", partial(recall, validate, known), than=f"{name}: validating")
    table.head("decision, validating pass, several node classes")
    base = load_profile(MACHINE)
    for name, obj in PODS.items():
        plain = request(patched(obj, known))
        for many in (1, 10, 100):
            # A kubelet's settings of its own make a class unlike the others.
            kinds = (replace(base, name=f"class-{number}", kubelet=replace(base.kubelet)) for number in range(many))
            first, several = f"{name}, 1 classes" if many > 1 else None, world(*kinds)
            validating = (request(patched(one, elsewhere)) for one in _sizes(obj))
            table.add(f"{name}, {many} classes", _unseen(validating, several), than=first)
        table.add(f"{name}, 100 classes, size seen", partial(review, plain, several), than=first)
        alike = world(*(replace(base, name=f"class-{number}") for number in range(100)))
        validating = (request(patched(one, elsewhere)) for one in _sizes(obj))
        table.add(f"{name}, 100 classes alike", _unseen(validating, alike), than=first)


def _sizes(obj: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the same pod with a little more memory each time."""
    text = json.dumps(obj)
    return (json.loads(text.replace("64Gi", f"{65536 + number}Mi")) for number in count(1))


def _unseen(requests: Iterable[Request], known: World) -> Callable[[], object]:
    """Answer a call that decides on another of the requests each time."""
    made = iter(list(islice(requests, MOST_CALLS)))
    return lambda: review(next(made), known)


def hostile(table: Table) -> None:
    """Decide on objects that are meant to cost time."""
    known = world()
    table.head("slow inputs, one decision")
    inputs = {
        "cpu 1e1000000": pod(container(limits={"cpu": "1e1000000", "memory": "1Gi", "nvidia.com/gpu": "1"})),
        "cpu of 1 MB of digits": pod(container(limits={"cpu": "9" * MIB, "nvidia.com/gpu": "1"})),
        "200 containers": pod(*(container(f"c{number}", **equal("2", "1Gi", 1)) for number in range(200))),
        "1000 containers": pod(*(container(f"c{number}", **equal("2", "1Gi", 1)) for number in range(1000))),
        "1000 resource names": pod(container(limits={f"example.com/r{number}": "1" for number in range(1000)})),
        "64 KiB of limit-ranger annotation": pod(
            container(**equal()), annotations={"kubernetes.io/limit-ranger": "cpu, " * 13_000}
        ),
    }
    for name, obj in inputs.items():
        table.add(name, partial(review, request(obj), known), rounds=20)


def patched(obj: dict[str, Any], known: World) -> dict[str, Any]:
    """Answer the pod as the validating pass sees it."""
    made = apply(obj, review(mutating(obj), known).patch)
    return made if isinstance(made, dict) else obj
