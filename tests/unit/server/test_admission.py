"""The endpoint: how a request is answered, whatever comes."""

import asyncio
import base64
import json
import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from dataclasses import field
from dataclasses import replace
from datetime import UTC
from datetime import datetime
from datetime import timedelta

import pytest
from serving import UID
from serving import accept
from serving import review_body
from starlette.types import Message

from webhook.domain.jsonpatch import Operation
from webhook.engine.decision import Decision
from webhook.engine.decision import Outcome
from webhook.engine.effort import QUICK_PLACEMENTS
from webhook.engine.request import Pass
from webhook.engine.request import Request
from webhook.engine.world import World
from webhook.server.admission import LARGE_BYTES
from webhook.server.admission import Admission
from webhook.server.admission import Review
from webhook.server.metrics import Metrics
from webhook.server.state import Loaded
from webhook.server.state import State
from webhook.sources.policy_file import load_policy
from webhook.sources.snapshot import Content
from webhook.sources.snapshot import encode
from webhook.sources.snapshot_reader import Reader
from webhook.web.aside import Aside
from webhook.web.body import MAX_BYTES
from webhook.web.body import Meter
from webhook.web.turns import Turns

POLICY = load_policy()
LARGE = review_body(obj={"padding": "x" * LARGE_BYTES})


@dataclass
class Bench:
    """One endpoint with all that it needs; `ask` sends it a request without a network."""

    review: Review = accept
    loaded: Loaded | None = POLICY
    review_pass: Pass = Pass.MUTATE
    metrics: Metrics = field(default_factory=lambda: Metrics("0"))
    meter: Meter = field(default_factory=Meter)
    aside: Aside = field(default_factory=Aside)

    def ask(
        self,
        body: bytes = b"",
        *,
        query: bytes = b"",
        headers: list[tuple[bytes, bytes]] | None = None,
        state: dict[str, object] | None = None,
        messages: list[Message] | None = None,
    ) -> tuple[int, dict[bytes, bytes], dict[str, object]]:
        """Answer status, headers and JSON body of the reply."""
        sent: list[Message] = []
        rest = iter(messages or [{"type": "http.request", "body": body, "more_body": False}])

        async def receive() -> Message:
            return next(rest, {"type": "http.disconnect"})

        async def send(message: Message) -> None:
            sent.append(message)

        scope = {
            "type": "http",
            "query_string": query,
            "headers": [(b"content-type", b"application/json")] if headers is None else headers,
            "state": state or {},
        }
        admission = Admission(
            review_pass=self.review_pass,
            review=self.review,
            state=State(own_namespace="ours", loaded=self.loaded),
            metrics=self.metrics,
            meter=self.meter,
            turns=Turns(),
            aside=self.aside,
        )
        asyncio.run(admission.endpoint()(scope, receive, send))
        if not sent:
            return 0, {}, {}
        content = b"".join(message["body"] for message in sent[1:])
        found = dict(sent[0]["headers"])
        assert int(found[b"content-length"]) == len(content)
        return sent[0]["status"], found, json.loads(content)

    def count(self, status: str) -> float | None:
        """Answer how many replies with `status` were counted."""
        labels = {"pass": self.review_pass.value, "status": status}
        return self.metrics.registry.get_sample_value("numagate_http_requests_total", labels)


def test_a_review_is_answered_with_its_uid() -> None:
    bench = Bench()

    status, headers, reply = bench.ask(review_body())

    assert (status, headers[b"content-type"]) == (200, b"application/json")
    assert reply["response"] == {"uid": UID, "allowed": True}
    assert bench.count("200") == 1


def test_the_audit_says_which_snapshot_was_decided_on() -> None:
    later = datetime.now(UTC) + timedelta(hours=1)  # a clock that is ahead makes no negative age
    content = encode(Content([{"metadata": {"name": "default"}, "spec": {}}], [], {}), later)
    world = Reader().read(content, "here")

    def audited(request: Request, known: World) -> Decision:
        return replace(accept(request, known), audit={"decision": "accept"})

    _, _, reply = Bench(review=audited, loaded=world, review_pass=Pass.VALIDATE).ask(review_body())
    annotations = {"decision": "accept", "world": f"generation {world.generation}, 0 s old"}
    assert reply["response"] == {"uid": UID, "allowed": True, "auditAnnotations": annotations}

    _, _, silent = Bench(loaded=world).ask(review_body())
    assert "auditAnnotations" not in silent["response"]  # type: ignore[operator]  # an object


def test_the_review_function_gets_the_request_and_a_fresh_world() -> None:
    seen: list[tuple[Request, World]] = []

    def remember(request: Request, world: World) -> Decision:
        seen.append((request, world))
        return accept(request, world)

    bench = Bench(review=remember, review_pass=Pass.VALIDATE)
    bench.ask(review_body())
    bench.ask(review_body())

    (request, first), (_, second) = seen
    assert request.review_pass is Pass.VALIDATE
    assert (first.policies, first.classes, first.own_namespace) == (POLICY.policies, POLICY.classes, "ours")
    assert first.instant < second.instant


def test_a_body_in_pieces_is_put_together() -> None:
    body = review_body()
    messages: list[Message] = [
        {"type": "http.request", "body": body[:50], "more_body": True},
        {"type": "http.request", "body": body[50:], "more_body": False},
    ]

    assert Bench().ask(messages=messages)[0] == 200


def test_a_large_body_is_decided_off_the_event_loop() -> None:
    threads: list[str] = []

    def remember(request: Request, world: World) -> Decision:
        threads.append(threading.current_thread().name)
        return accept(request, world)

    bench = Bench(review=remember)

    assert bench.ask(review_body())[0] == bench.ask(LARGE)[0] == 200
    assert threads[0] == "MainThread"
    assert threads[1] != "MainThread"


@pytest.mark.parametrize("body", [b"", b"null", b"\xff", b"[" * 300_000], ids=["empty", "null", "binary", "large"])
def test_a_bad_body_is_a_bad_request(body: bytes) -> None:
    bench = Bench()

    status, _, reply = bench.ask(body)

    assert (status, reply["kind"], reply["reason"]) == (400, "Status", "BadRequest")
    assert bench.count("400") == 1


@pytest.mark.parametrize(
    "value", [b"application/json", b"application/json; charset=utf-8", b"Application/JSON;x=y", b"application/json "]
)
def test_the_content_type_of_json_is_taken_in_every_spelling(value: bytes) -> None:
    assert Bench().ask(review_body(), headers=[(b"content-type", value)])[0] == 200


@pytest.mark.parametrize(
    "headers", [[], [(b"content-type", b"text/plain")], [(b"content-type", b"application/jsonx")]], ids=repr
)
def test_another_content_type_is_refused(headers: list[tuple[bytes, bytes]]) -> None:
    status, _, reply = Bench().ask(review_body(), headers=headers)

    assert (status, reply["reason"]) == (415, "UnsupportedMediaType")


DECLARED = [(b"content-type", b"application/json"), (b"content-length", b"%d" % (MAX_BYTES + 1))]


def test_a_declared_length_beyond_the_limit_is_refused_after_its_opening() -> None:
    pieces = [{"type": "http.request", "body": b"x" * 800, "more_body": True} for _ in range(3)]

    status, found, reply = Bench().ask(headers=DECLARED, messages=pieces)

    assert (status, found[b"connection"], reply["code"]) == (413, b"close", 413)


def test_a_streamed_body_beyond_the_limit_is_refused_and_read_to_its_end() -> None:
    piece = {"type": "http.request", "body": b"x" * (MAX_BYTES // 2), "more_body": True}

    status, found, _ = Bench().ask(messages=[piece, piece, piece, {**piece, "more_body": False}])

    assert (status, found[b"connection"]) == (413, b"close")


@pytest.mark.parametrize("review_pass", Pass)
@pytest.mark.parametrize("headers", [DECLARED, None], ids=["declared", "streamed"])
def test_a_review_of_a_pod_beyond_the_limit_is_denied_by_the_validating_pass(
    review_pass: Pass, headers: list[tuple[bytes, bytes]] | None
) -> None:
    opening = {"type": "http.request", "body": review_body()[:1000], "more_body": True}
    piece = {"type": "http.request", "body": b"x" * (MAX_BYTES // 2), "more_body": True}

    bench = Bench(review_pass=review_pass)
    status, found, reply = bench.ask(headers=headers, messages=[opening, piece, piece, {**piece, "more_body": False}])

    response = reply["response"]
    assert isinstance(response, dict)
    assert (status, found[b"connection"], response["uid"]) == (200, b"close", UID)
    if review_pass is Pass.MUTATE:
        assert (response["allowed"], set(response)) == (True, {"uid", "allowed", "warnings"})
    else:
        assert (response["allowed"], response["status"]["code"]) == (False, 413)
        assert response["status"]["reason"] == "RequestEntityTooLarge"
        assert f"larger than {MAX_BYTES} bytes" in response["status"]["message"]
    assert bench.count("200") == 1


def test_a_client_that_goes_away_gets_no_reply() -> None:
    assert Bench().ask(messages=[{"type": "http.disconnect"}]) == (0, {}, {})


def test_without_a_policy_the_api_server_is_asked_to_try_again() -> None:
    status, headers, reply = Bench(loaded=None).ask(review_body())

    assert (status, headers[b"retry-after"], reply["reason"]) == (503, b"1", "ServiceUnavailable")


def test_a_request_that_waited_too_long_is_asked_to_come_again() -> None:
    status, headers, reply = Bench().ask(review_body(), state={"received": time.perf_counter() - 100.0})

    assert (status, headers[b"retry-after"], reply["reason"]) == (429, b"1", "TooManyRequests")


def test_too_many_bytes_at_once_are_answered_with_a_time_to_try_again() -> None:
    bench = Bench(meter=Meter(100, free=50))

    status, headers, _ = bench.ask(review_body())

    assert (status, headers[b"retry-after"], bench.meter.held) == (429, b"1", 0)


MANY = {"spec": {"containers": [{"name": f"c{number}"} for number in range(QUICK_PLACEMENTS + 1)]}}


def test_what_may_take_long_is_decided_off_the_event_loop() -> None:
    threads: list[str] = []

    def remember(request: Request, world: World) -> Decision:
        threads.append(threading.current_thread().name)
        return accept(request, world)

    assert Bench(review=remember).ask(review_body(obj=MANY))[0] == 200
    assert threads != ["MainThread"]


@pytest.mark.parametrize("body", [LARGE, review_body(obj=MANY)], ids=["a large body", "many containers"])
def test_a_decision_that_takes_too_long_is_not_waited_for(body: bytes) -> None:
    release = threading.Event()

    def slow(request: Request, world: World) -> Decision:
        release.wait(10)
        return accept(request, world)

    try:
        status, headers, _ = Bench(review=slow).ask(body, query=b"timeout=400ms")
    finally:
        release.set()

    assert (status, headers[b"retry-after"]) == (503, b"1")


def test_a_bug_is_an_internal_error_that_tells_nothing(caplog: pytest.LogCaptureFixture) -> None:
    def broken(request: Request, world: World) -> Decision:
        del world
        raise KeyError(str(request.object))

    status, _, reply = Bench(review=broken).ask(review_body(obj={"secret": "s3cret"}))

    assert (status, reply["reason"]) == (500, "InternalError")
    assert "s3cret" not in json.dumps(reply)
    (record,) = caplog.records
    assert (record.levelname, record.message) == ("ERROR", "bug while deciding")
    assert record.exc_info


@pytest.mark.parametrize("body", [review_body(), LARGE], ids=["small", "large"])
def test_a_bug_never_breaks_the_connection(body: bytes) -> None:
    def broken(_request: Request, _world: World) -> Decision:
        raise RecursionError

    assert Bench(review=broken).ask(body)[0] == 500


def test_the_log_line_of_a_decision_holds_nothing_of_the_pod(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    pod = {"metadata": {"name": "s3cret", "labels": {"a": "s3cret"}}, "spec": {"image": "s3cret"}}

    Bench().ask(review_body(obj=pod, name="s3cret"))

    (record,) = caplog.records
    line = vars(record)["numagate_fields"]
    assert line.pop("ms") >= 0
    assert line == {
        "uid": UID,
        "pass": "mutate",
        "namespace": "default",
        "kind": "Pod",
        "operation": "CREATE",
        "dryRun": False,
        "outcome": "accept",
        "allowed": True,
        "codes": [],
    }


def patching(value: object) -> Callable[[Request, World], Decision]:
    """Answer a review that always patches `value` in."""

    def review(request: Request, world: World) -> Decision:
        del request, world
        return Decision(outcome=Outcome.REPAIR, allowed=True, patch=(Operation("add", "/a", value),), repairs=("x",))

    return review


def test_the_validating_endpoint_never_patches() -> None:
    patches = {
        review_pass: Bench(review=patching(1), review_pass=review_pass).ask(review_body())[2]["response"]
        for review_pass in Pass
    }

    assert base64.b64decode(patches[Pass.MUTATE]["patch"]) == b'[{"op":"add","path":"/a","value":1}]'  # type: ignore[index]
    assert patches[Pass.VALIDATE] == {"uid": UID, "allowed": True}


def test_a_dry_run_gets_the_same_answer() -> None:
    answers = [Bench(review=patching([1])).ask(review_body(dryRun=dry))[2] for dry in (False, True)]

    assert answers[0] == answers[1]
