"""Answers one admission request: the ASGI endpoint behind /mutate and /validate."""

import asyncio
import logging
import time
from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass
from dataclasses import replace
from datetime import UTC
from datetime import datetime

from starlette.types import Receive
from starlette.types import Scope
from starlette.types import Send

from webhook.domain.errors import RequestError
from webhook.engine.decision import Decision
from webhook.engine.request import Pass
from webhook.engine.request import Request
from webhook.engine.world import World
from webhook.server import duration
from webhook.server import logs
from webhook.server import status
from webhook.server import wire
from webhook.server.body import MAX_BYTES
from webhook.server.body import Disconnected
from webhook.server.body import Incoming
from webhook.server.body import Meter
from webhook.server.body import declared_length
from webhook.server.body import linger
from webhook.server.body import read_body
from webhook.server.body import too_large
from webhook.server.metrics import Metrics
from webhook.server.state import State

Review = Callable[[Request, World], Decision]

LARGE_BYTES = 64 * 1024
"""A larger body is read and decided in the worker, so that the event loop and the other requests go on.

A real pod has a tenth of this; the way to the worker and back costs 0.1 ms."""

MAX_QUEUE = 256
"""Requests that wait for the one CPU; beyond that a new try a second later is sooner answered."""

_TOO_LARGE = 413

_LOGGER = logging.getLogger("numagate.admission")


@dataclass(frozen=True, slots=True)
class _Answer:
    request: Request
    decision: Decision
    payload: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Admission:
    """The endpoint of one pass; `worker` takes the large requests one after the other."""

    review_pass: Pass
    review: Review
    state: State
    metrics: Metrics
    worker: Executor
    meter: Meter

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer the request: 200 with a review, or a metav1.Status."""
        started: float = scope.get("state", {}).get("received") or time.perf_counter()
        incoming = Incoming(receive)
        code = 200
        try:
            payload = await self._answer(scope, incoming, started)
        except RequestError as error:
            code, payload = error.status, status.body(error.status, str(error), error.reason)
            _LOGGER.info(str(error), extra=logs.fields({logs.PASS: self.review_pass.value, logs.STATUS: code}))
        except Disconnected:
            return
        except Exception:
            # The HTTP edge. A bug must not end the connection, and its text may quote the pod.
            _LOGGER.exception("bug while deciding", extra=logs.fields({logs.PASS: self.review_pass.value}))
            code, payload = 500, status.body(500, "numagate failed on this request; its log has the traceback")
        await _reply(send, incoming, code, payload)
        self.metrics.answered(self.review_pass, code, time.perf_counter() - started)

    async def _answer(self, scope: Scope, incoming: Incoming, started: float) -> bytes:
        deadline = started + duration.budget(scope["query_string"])
        self._refuse_early(scope, deadline)
        world = self.state.world(datetime.now(UTC))
        if world is None:
            msg = "numagate has no policy yet; its log says why"
            raise RequestError(msg, status=503, reason="ServiceUnavailable")
        with self.meter.lease() as lease:
            body = await read_body(incoming, lease)
            if len(body) <= LARGE_BYTES:
                answer = self._decide(body, world)
            else:
                answer = await self._decide_aside(body, world, deadline)
        self._record(answer, time.perf_counter() - started)
        return answer.payload

    def _refuse_early(self, scope: Scope, deadline: float) -> None:
        if scope.get("state", {}).get("queue", 0) > MAX_QUEUE or time.perf_counter() > deadline:
            msg = "numagate is overloaded at this moment: try again"
            raise RequestError(msg, status=429, reason="TooManyRequests")
        headers: list[tuple[bytes, bytes]] = scope["headers"]
        if declared_length(headers) > MAX_BYTES:
            raise too_large()
        for name, value in headers:
            if name == b"content-type" and value.partition(b";")[0].strip().lower() == b"application/json":
                return
        msg = "the Content-Type must be application/json"
        raise RequestError(msg, status=415, reason="UnsupportedMediaType")

    def _decide(self, body: bytes, world: World) -> _Answer:
        request = wire.read(body, self.review_pass)
        decision = self.review(request, world)
        payload = wire.write(request.uid, self.review_pass, decision)
        # What is left to do needs no objects: a large one would be held for as long as the loop is busy.
        return _Answer(replace(request, object=None, old_object=None), decision, payload)

    async def _decide_aside(self, body: bytes, world: World, deadline: float) -> _Answer:
        future = asyncio.get_running_loop().run_in_executor(self.worker, self._decide, body, world)
        try:
            return await asyncio.wait_for(future, deadline - time.perf_counter())
        except TimeoutError:
            msg = "numagate could not decide within the timeout: try again"
            raise RequestError(msg, status=503, reason="ServiceUnavailable") from None

    def _record(self, answer: _Answer, seconds: float) -> None:
        request, decision = answer.request, answer.decision
        self.metrics.decided(self.review_pass, decision)
        if not _LOGGER.isEnabledFor(logging.INFO):
            return
        line = {
            logs.UID: request.uid,
            logs.PASS: self.review_pass.value,
            logs.NAMESPACE: request.namespace,
            logs.KIND: request.kind,
            logs.OPERATION: request.operation,
            logs.DRY_RUN: request.dry_run,
            logs.OUTCOME: decision.outcome.value,
            logs.ALLOWED: decision.allowed,
            logs.CODES: sorted({finding.code for finding in decision.findings}),
            logs.MILLISECONDS: round(seconds * 1000, 2),
        }
        _LOGGER.info("decided", extra=logs.fields(line))


async def _reply(send: Send, incoming: Incoming, code: int, payload: bytes) -> None:
    headers = status.headers(code, payload)
    if code == _TOO_LARGE:
        headers.append((b"connection", b"close"))
    unread = not incoming.finished
    await send({"type": "http.response.start", "status": code, "headers": headers})
    await send({"type": "http.response.body", "body": payload, "more_body": unread})
    if unread:
        await linger(incoming)
        await send({"type": "http.response.body", "body": b"", "more_body": False})
