"""Compares decisions on a large cluster's world with those on small ones, in turn, so that both meet the same noise."""

import http.client
import ssl
import statistics
import tempfile
import time
from collections.abc import Callable
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC
from datetime import datetime
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any
from typing import Self

import orjson
from builders import container
from builders import equal
from builders import mutating
from builders import pod
from builders import request
from controlplane.service import WebhookService
from serving import review_body

from webhook.engine.review import review
from webhook.engine.world import World
from webhook.sources.snapshot_reader import Reader

ROUNDS = 300
LARGE = "15,000 nodes"
SAME = "10 nodes of the same kinds"
ONE = "10 nodes of one kind"

_POOL = "karpenter.sh/nodepool"

PODS: Mapping[str, dict[str, Any]] = {
    "2 GPUs, on one pool": {"gpus": 2, "pool": "serving"},
    "2 GPUs, anywhere": {"gpus": 2, "pool": ""},
    "16 GPUs, too many": {"gpus": 16, "pool": "serving"},
}


@dataclass(frozen=True, slots=True)
class Paired:
    """Two medians in microseconds, of calls that took turns, and the median of their ratios."""

    name: str
    first: float
    second: float
    ratio: float


def shrunk(text: str, *, nodes: int, kinds: int | None = None) -> str:
    """Answer a snapshot as a cluster of few nodes has it: a class has a node or none, and namespaces are few.

    Of the classes the first ones are kept that a pod of `PODS` may go to.
    """
    world = orjson.loads(text)
    own = [one for one in world["classes"] if one["spec"]["selector"]["matchLabels"].get(_POOL) == "serving"]
    classes = world["classes"] if kinds is None else own[:kinds]
    for number, one in enumerate(classes):
        one["nodes"] = nodes // len(classes) + (number < nodes % len(classes))
    few = [{**one, "names": one["names"][:1]} for one in world["namespaces"]]
    return orjson.dumps({**world, "classes": classes, "namespaces": few}).decode()


def in_process(large: str, small: str) -> list[Paired]:
    """Decide on the same pods in two worlds, both passes, nothing remembered."""
    worlds = [_world(text) for text in (large, small)]
    found: list[Paired] = []
    for name, wanted in PODS.items():
        for label, make in (("mutating", mutating), ("validating", request)):
            asked = make(_pod(**wanted))
            found.append(paired(f"{name}: {label}", *(partial(review, asked, one) for one in worlds)))
    return found


def over_http(large: str, small: str) -> list[Paired]:
    """Ask two services, of which each serves one of the worlds."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        ask = [
            stack.enter_context(_Asked(folder / f"{number}.json", text)) for number, text in enumerate((large, small))
        ]
        found: list[Paired] = []
        for name, wanted in PODS.items():
            found.append(paired(f"{name}: over TLS", *(partial(one.fresh, wanted) for one in ask)))
            found.append(paired(f"{name}: over TLS, remembered", *(partial(one.again, wanted) for one in ask)))
        return found


def paired(name: str, first: Callable[[], object], second: Callable[[], object]) -> Paired:
    """Time two calls in turn, in changing order."""
    times: tuple[list[float], list[float]] = ([], [])
    calls = [(first, times[0]), (second, times[1])]
    for turn in range(ROUNDS + 2):
        for call, kept in calls if turn % 2 else reversed(calls):
            began = time.perf_counter()
            call()
            kept.append(time.perf_counter() - began)
    one, other = (statistics.median(kept[2:]) * 1e6 for kept in times)
    ratio = statistics.median(a / b for a, b in zip(times[0][2:], times[1][2:], strict=True))
    return Paired(name, one, other, ratio)


class _Asked:
    """A service that serves one world, and a connection to it."""

    def __init__(self, file: Path, text: str) -> None:
        file.write_text(text, "utf-8")
        self._service = WebhookService(arguments=("--world", str(file)))
        self._number = count(1)

    def __enter__(self) -> Self:
        self._service.__enter__()
        host, port = self._service.url.removeprefix("https://").split(":")
        tls = ssl.create_default_context(cafile=str(self._service.ca))
        self._connection = http.client.HTTPSConnection(host, int(port), context=tls, timeout=30)
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close()
        self._service.__exit__(None, None, None)

    def fresh(self, wanted: Mapping[str, Any]) -> None:
        """Ask about a pod that was never seen: other memory makes another pod."""
        self._post(_pod(**wanted, more=next(self._number)))

    def again(self, wanted: Mapping[str, Any]) -> None:
        """Ask about the same pod again."""
        self._post(_pod(**wanted))

    def _post(self, obj: dict[str, Any]) -> None:
        body = review_body(obj=obj, namespace="team-0001")
        self._connection.request("POST", "/validate?timeout=10s", body, {"Content-Type": "application/json"})
        reply = self._connection.getresponse()
        reply.read()
        if reply.status != http.client.OK:
            msg = f"the service answered {reply.status}"
            raise SystemExit(msg)


def _pod(gpus: int, pool: str, more: int = 0) -> dict[str, Any]:
    selector = {"nodeSelector": {_POOL: pool}} if pool else {}
    tolerations = [{"key": "nvidia.com/gpu", "operator": "Exists"}]
    asked = container(image="registry.internal/ai/vllm:v1", **equal("16", f"{65536 + more}Mi", gpus))
    return pod(asked, tolerations=tolerations, **selector)


def _world(text: str) -> World:
    loaded = Reader().read(text.encode(), "bench")
    return World(
        policies=loaded.policies,
        classes=loaded.classes,
        own_namespace="numagate-system",
        instant=datetime.now(UTC),
        namespaces=loaded.namespaces,
    )
