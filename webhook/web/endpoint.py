"""One call of a webhook over HTTP: limits, deadline, errors and reply around a function that knows the answer."""

import logging
import time
from collections.abc import Awaitable
from collections.abc import Callable
from dataclasses import dataclass

from starlette.types import Receive
from starlette.types import Scope
from starlette.types import Send

from webhook.domain.errors import RequestError
from webhook.web import duration
from webhook.web import logs
from webhook.web import status
from webhook.web.backlog import overloaded
from webhook.web.body import Disconnected
from webhook.web.body import Incoming
from webhook.web.body import Lease
from webhook.web.body import Meter
from webhook.web.body import declared_length
from webhook.web.body import linger
from webhook.web.body import read_body
from webhook.web.common_metrics import CommonMetrics

_LOGGER = logging.getLogger("numagate.admission")


@dataclass(frozen=True, slots=True)
class Call:
    """A call on its way; `started` and `deadline` are times of the performance counter."""

    started: float
    deadline: float
    incoming: Incoming
    lease: Lease
    declared: int

    async def body(self) -> bytes:
        """Read the body, once.

        Raises:
            TooLargeError: it is too large.
            RequestError: too many large ones are on their way.
            Disconnected: the client went away.
        """
        return await read_body(self.incoming, self.lease, declared=self.declared)

    @property
    def seconds(self) -> float:
        """What the call has taken until now."""
        return time.perf_counter() - self.started

    @property
    def seconds_left(self) -> float:
        """What it may take from now on."""
        return self.deadline - time.perf_counter()


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """The ASGI endpoint `name` (a word for log and metrics); `answer` makes the body of a reply 200."""

    name: str
    answer: Callable[[Call], Awaitable[bytes]]
    metrics: CommonMetrics
    meter: Meter

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer the request: 200 with a review, or a metav1.Status."""
        started: float = scope.get("state", {}).get("received") or time.perf_counter()
        incoming = Incoming(receive)
        code = 200
        try:
            declared = declared_length(scope["headers"])
            with self.meter.lease(declared) as lease:
                end = started + duration.budget(scope["query_string"])
                call = Call(started, end, incoming, lease, declared)
                _refuse_early(scope, call)
                payload = await self.answer(call)
        except RequestError as error:
            code, payload = error.status, status.body(error.status, str(error), error.reason)
            _LOGGER.info(str(error), extra=logs.fields({logs.PASS: self.name, logs.STATUS: code}))
        except Disconnected:
            return
        except Exception:
            # The HTTP edge. A bug must not end the connection, and its text may quote the pod.
            _LOGGER.exception("bug while deciding", extra=logs.fields({logs.PASS: self.name}))
            code, payload = 500, status.body(500, "numagate failed on this request; its log has the traceback")
        await _reply(send, incoming, code, payload)
        self.metrics.answered(self.name, code, time.perf_counter() - started)


def _refuse_early(scope: Scope, call: Call) -> None:
    if call.seconds_left < 0:
        raise overloaded()
    for name, value in scope["headers"]:
        if name == b"content-type" and value.partition(b";")[0].strip().lower() == b"application/json":
            return
    msg = "the Content-Type must be application/json"
    raise RequestError(msg, status=415, reason="UnsupportedMediaType")


async def _reply(send: Send, incoming: Incoming, code: int, payload: bytes) -> None:
    headers = status.headers(code, payload)
    if incoming.too_large:
        headers.append((b"connection", b"close"))
    unread = not incoming.finished
    await send({"type": "http.response.start", "status": code, "headers": headers})
    await send({"type": "http.response.body", "body": payload, "more_body": unread})
    if unread:
        await linger(incoming)
        await send({"type": "http.response.body", "body": b"", "more_body": False})
