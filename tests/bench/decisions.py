"""Times decisions: remembered or not, on one to a hundred node classes, and on inputs that are meant to be slow."""

from dataclasses import replace
from functools import partial
from typing import Any

from bench.timing import Table
from builders import container
from builders import equal
from builders import mutating
from builders import pod
from builders import request
from builders import world

from webhook.domain.jsonpatch import apply
from webhook.engine.review import review
from webhook.engine.world import World
from webhook.server.recall import Recall
from webhook.sources.policy_file import load_profile

MIB = 1 << 20

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
    """Time one pass after the other for one node class, then both on several classes and machines."""
    known = world()
    table.head("decision, 1 node class")
    for name, obj in PODS.items():
        mutate, validate = mutating(obj), request(patched(obj, known))
        table.add(f"{name}: mutating", partial(review, mutate, known))
        table.add(f"{name}: validating", partial(review, validate, known))
    recall = Recall()
    for name, obj in PODS.items():
        validate = request(patched(obj, known))
        table.add(f"{name}: remembered", partial(recall, validate, known), than=f"{name}: validating")
    table.head("decision, validating pass, several node classes")
    base = load_profile("generic-2x4")
    for name, obj in PODS.items():
        validate = request(patched(obj, known))
        for count in (1, 10, 100):
            # A kubelet's settings of its own make a class unlike the others.
            kinds = (replace(base, name=f"class-{number}", kubelet=replace(base.kubelet)) for number in range(count))
            first = f"{name}, 1 classes" if count > 1 else None
            table.add(f"{name}, {count} classes", partial(review, validate, world(*kinds)), than=first)
        alike = world(*(replace(base, name=f"class-{number}") for number in range(100)))
        table.add(f"{name}, 100 classes alike", partial(review, validate, alike), than=f"{name}, 1 classes")


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
