"""The endpoint behind /namespaces: it allows whatever comes, and every trouble is one warning."""

import asyncio
import re
import threading
from collections.abc import Callable
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from dataclasses import field
from dataclasses import replace
from datetime import datetime
from typing import Any

import httpx
from builders import container
from builders import equal
from builders import pod
from builders import world
from serving import review_body

from webhook.controller import namespace_webhook
from webhook.controller.namespace_webhook import ListPods
from webhook.controller.namespace_webhook import NamespaceWebhook
from webhook.domain.levels import Level
from webhook.domain.levels import Modes
from webhook.domain.raw import JsonObject
from webhook.engine.world import World
from webhook.kube.error import KubeError
from webhook.kube.listing import Page
from webhook.web.body import Meter
from webhook.web.common_metrics import CommonMetrics

ENFORCE = "numagate.io/enforce"
UNFIT = pod(container(**equal(gpus=8, cpu="40")))
HEAD = 'existing pods in namespace "team-a" violate numagate level "aligned": '
LOOKING = world(modes=Modes(enforce=Level.NONE))


def pages(*found: list[JsonObject], remaining: int = 0) -> ListPods:
    """Answer a list that has these pages."""

    def listed(_namespace: str, _seconds_left: Callable[[], float]) -> Iterator[Page]:
        for items in found:
            yield Page(items, "1", "", remaining)

    return listed


def broken(_namespace: str, _seconds_left: Callable[[], float]) -> Iterator[Page]:
    yield Page([UNFIT], "1", "next", 1)
    msg = "GET /api/v1/namespaces/team-a/pods: 500: etcd is away"
    raise KubeError(msg, status=500)


def change(old: dict[str, str], new: dict[str, str], **fields: Any) -> bytes:
    """Write the review of an update of the namespace team-a."""

    def namespace(labels: dict[str, str]) -> dict[str, Any]:
        return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "team-a", "labels": labels}}

    kind = {"group": "", "version": "v1", "kind": "Namespace"}
    resource = {"group": "", "version": "v1", "resource": "namespaces"}
    asked = {"kind": kind, "resource": resource, "operation": "UPDATE", "name": "team-a", "namespace": "team-a"}
    return review_body(obj=namespace(new), **{**asked, "oldObject": namespace(old), **fields})


RAISED = change({}, {ENFORCE: "aligned"})


@dataclass
class Bench:
    """One endpoint with all that it needs."""

    list_pods: ListPods = field(default_factory=lambda: pages([UNFIT]))
    known: World | None = LOOKING
    worker: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(max_workers=1))

    def world(self, now: datetime) -> World | None:
        """Answer what is known."""
        return self.known and replace(self.known, instant=now)

    def ask(self, body: bytes = RAISED, query: str = "timeout=2s") -> dict[str, Any]:
        """Send one request without a network, and answer the response of the review."""
        reply = asyncio.run(self._send(body, query))
        assert reply.status_code == 200, reply.text
        response: dict[str, Any] = reply.json()["response"]
        assert response["allowed"] is True
        return response

    def warned(self, body: bytes = RAISED, query: str = "timeout=2s") -> list[str]:
        """Send one request, and answer the warnings; how long it took is left open."""
        found: list[str] = self.ask(body, query).get("warnings", [])
        return [re.sub(r"in [0-9.]+ s:", "in N s:", text) for text in found]

    async def _send(self, body: bytes, query: str) -> httpx.Response:
        endpoint = NamespaceWebhook(
            world=self.world,
            list_pods=self.list_pods,
            metrics=CommonMetrics("0", component="controller"),
            meter=Meter(),
            worker=self.worker,
        )
        async with httpx.AsyncClient(transport=httpx.ASGITransport(endpoint), base_url="https://numagate") as client:
            headers = {"content-type": "application/json"}
            return await client.post(f"/namespaces?{query}", content=body, headers=headers)


def test_a_raised_level_lists_the_pods_that_would_fail() -> None:
    assert Bench(pages([UNFIT], [pod()])).warned() == [
        f"{HEAD}1 of 2",
        (
            "llm: server: 8 nvidia.com/gpu never fit one NUMA node of generic-2x4 (4 per NUMA node): run 2…: "
            "write at most 4 [misfit]"
        ),
    ]


def test_where_nothing_more_may_be_refused_no_pod_is_listed() -> None:
    assert Bench(broken).warned(change({ENFORCE: "aligned"}, {})) == []


def test_a_label_that_does_nothing_is_told_without_a_list() -> None:
    assert Bench(broken, world()).warned(change({}, {ENFORCE: "none"})) == [
        (
            "numagate.io/enforce: none is below the policy's aligned: "
            "a namespace may only raise a level, so it has no effect"
        )
    ]


def test_what_was_listed_before_an_error_is_judged() -> None:
    texts = Bench(broken).warned()

    assert texts[0] == f"{HEAD}1 of 1"
    assert texts[2:] == [
        "numagate judged 1 of 2 pods in N s: others may be refused, too",
        "numagate could not list the pods of this namespace: GET /api/v1/namespaces/team-a/pods: 500: etcd is away",
    ]


def test_pods_that_were_not_listed_in_time_are_counted() -> None:
    assert Bench(pages([pod()], remaining=3399)).warned() == [
        "numagate judged 1 of 3,400 pods in N s: others may be refused, too"
    ]


def test_a_list_that_never_begins_is_told() -> None:
    assert Bench(pages()).warned() == [namespace_webhook.BUSY]


def test_a_worker_that_does_not_come_back_is_not_waited_for() -> None:
    hang = threading.Event()
    bench = Bench()
    bench.worker.submit(hang.wait)

    try:
        assert bench.warned(query="timeout=300ms") == [namespace_webhook.BUSY]
    finally:
        hang.set()


def test_without_a_world_nothing_is_judged() -> None:
    assert Bench(known=None).warned() == [
        "numagate does not know the cluster yet, so the pods of this namespace were not judged"
    ]


def test_a_bug_is_a_warning() -> None:
    def bug(_namespace: str, _seconds_left: Callable[[], float]) -> Iterator[Page]:
        raise ZeroDivisionError

    assert Bench(bug).warned() == [
        "numagate failed on this namespace; the log of its controller has the traceback",
    ]


def test_nothing_is_said_of_what_is_no_change_of_a_namespace() -> None:
    bench = Bench(broken)

    assert bench.warned(change({}, {ENFORCE: "aligned"}, operation="CREATE", oldObject=None)) == []
    assert bench.warned(review_body()) == []


def test_there_are_at_most_ten_warnings() -> None:
    shapes = [pod(container(**equal(cpu=f"{number}500m"))) for number in range(1, 13)]

    texts = Bench(pages(shapes, remaining=1)).warned(change({}, {ENFORCE: "aligned", "numagate.io/warn": "x"}))

    assert (len(texts) <= 10, max(map(len, texts)) <= 120) == (True, True)
    assert texts[-1].startswith("numagate judged ")
