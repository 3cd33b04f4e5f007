"""The HTTP protocol of both ports: uvicorn's, with deadlines and bounds for the client."""

import asyncio
import select
import time
from collections.abc import Callable
from typing import Any
from typing import Final
from typing import NoReturn

import httptools
from uvicorn import Config
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
from uvicorn.protocols.http.httptools_impl import RequestResponseCycle
from uvicorn.server import ServerState

from webhook.web import status
from webhook.web.body import MAX_BYTES
from webhook.web.crowd import Crowd
from webhook.web.reply import ReplyTransport

RECEIVE_SECONDS = 5.0
"""From a request's first byte to its last."""

SEND_SECONDS = 5.0
"""For a client to take what has been written to it."""

MAX_UNREAD_BYTES: Final = 64 * 1024
"""Replies that a client has not taken, before the next is written."""

MAX_HEAD_BYTES: Final = 64 * 1024
"""The API server sends less than 1 KiB of request line and headers."""

MAX_MESSAGE_BYTES: Final = 3 * MAX_BYTES
"""A body that is refused is read on for a while; chunk headers and trailers count here, too."""

MAX_PIPELINED: Final = 100
MAX_PIPELINED_BYTES: Final = 64 * 1024
"""Go's client, and so the API server, sends a request only after the reply to the one before. Bodies that wait for
their turn are counted by nobody else."""


class DeadlineProtocol(HttpToolsProtocol):
    """Closes a connection whose client is slow; an idle one may stay, before its first request as between two.

    Go's client, and so the API server, dials in advance: where another connection has become free meanwhile, the new
    one waits for its first request. Were we the first to close it, a request that comes just then would be lost.

    Each request's scope gets `state.received`, its arrival on the performance counter, and `state.peer`, the client's
    certificate where one was asked for. `dropped` hears in one word why a connection was cut off.
    """

    address = ""
    entering: asyncio.Task[None] | None = None
    """The TLS handshake, as long as it lasts."""

    _deadline: asyncio.TimerHandle | None = None
    _peer: dict[str, object] | None = None
    _sending: asyncio.TimerHandle | None = None
    _since = 0.0
    _in_head = False
    _bytes = 0
    _queued_bytes = 0

    def __init__(  # uvicorn's, and two of ours
        self,
        *,
        config: Config,
        server_state: ServerState,
        app_state: dict[str, Any],
        _loop: asyncio.AbstractEventLoop,
        crowd: Crowd,
        dropped: Callable[[str], None],
    ) -> None:
        super().__init__(config, server_state, app_state, _loop)
        self._crowd = crowd
        self._dropped = dropped

    @property
    def busy(self) -> bool:
        """Tell whether a request is being answered."""
        cycle: RequestResponseCycle | None = self.cycle
        return cycle is not None and not cycle.response_complete

    def leave(self) -> None:
        """Make room for somebody else."""
        self._dropped("crowded")
        if self.entering is not None:
            self.entering.cancel()
        if self.transport is not None:
            self._abort()

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn has it
        """Take the connection."""
        super().connection_made(transport)
        transport.set_write_buffer_limits(MAX_UNREAD_BYTES)
        self._peer = transport.get_extra_info("peercert")
        self._since = self.loop.time()
        self.timeout_keep_alive_task = self.loop.call_later(self.timeout_keep_alive, self.timeout_keep_alive_handler)

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the deadlines and the connection."""
        self._unset_keepalive_if_required()
        self._disarm()
        self._unset_sending()
        self._crowd.forget(self)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Parse what came, within bounds that the parser does not have."""
        self._unset_keepalive_if_required()
        if self._deadline is None and not self.busy:
            self._arm()  # what begins no request has to end, too
        self._bytes += len(data)
        try:
            self.parser.feed_data(data)
        except httptools.HttpParserUpgrade:
            # Who sends an upgrade gets the plain reply.
            return
        except httptools.HttpParserError:
            self.send_400_response("this is no HTTP request that numagate takes")
            return
        if self._bytes > MAX_MESSAGE_BYTES or (self._in_head and self._bytes > MAX_HEAD_BYTES):
            self._drop("oversized")

    def on_message_begin(self) -> None:
        """Start the clock of a request."""
        if len(self.pipeline) >= MAX_PIPELINED:
            self._refuse_pipelined()
        super().on_message_begin()
        self._arm()
        self._in_head, self._bytes = True, 0
        self.scope["state"]["received"] = time.perf_counter()
        self.scope["state"]["peer"] = self._peer

    def on_header(self, name: bytes, value: bytes) -> None:
        """Take a header; a trailer, which comes after the body, is none."""
        if self._in_head:
            super().on_header(name, value)

    def on_headers_complete(self) -> None:
        """Hand the request to the application."""
        self._in_head = False
        super().on_headers_complete()
        if not self.expect_100_continue:  # a write of its own, before the reply
            self.cycle.transport = ReplyTransport(self.transport)  # type: ignore[assignment]  # what a cycle needs of it
        if self.parser.should_upgrade():
            # The parser is of no use after an upgrade that was not made.
            self.cycle.keep_alive = False

    def on_body(self, body: bytes) -> None:
        """Take a piece of the body, which may be one of a request that waits for others."""
        if self.pipeline:
            self._queued_bytes += len(body)
            if self._queued_bytes > MAX_PIPELINED_BYTES:
                self._refuse_pipelined()
        super().on_body(body)

    def on_response_complete(self) -> None:
        """Go on with the next request, which may have come already."""
        super().on_response_complete()
        if not self.pipeline:
            self._queued_bytes = 0

    def on_message_complete(self) -> None:
        """Stop the clock: the rest is the application's time."""
        self._disarm()
        self._bytes = 0
        self._crowd.meet(self)
        super().on_message_complete()

    def pause_writing(self) -> None:
        """Give the client some time to read."""
        super().pause_writing()
        self._unset_sending()
        self._sending = self.loop.call_later(SEND_SECONDS, self._drop, "slow")

    def resume_writing(self) -> None:
        """Go on."""
        self._unset_sending()
        super().resume_writing()

    def send_400_response(self, msg: str) -> None:
        """Answer bytes that are no HTTP request."""
        if self.transport.is_closing():
            return
        content = status.body(400, msg)
        head = b"HTTP/1.1 400 Bad Request\r\ncontent-type: application/json\r\ncontent-length: %d\r\n" % len(content)
        self.transport.write(head + b"connection: close\r\n\r\n" + content)
        self.transport.close()

    def shutdown(self) -> None:
        """Close the connection at the end of the server, unless a request may be on its way.

        Who has just shaken hands is about to send one, and while the loop was busy one may have come: an API server
        does not send it again. The reply closes the connection; a deadline ends who stays silent.
        """
        cycle: RequestResponseCycle | None = self.cycle
        if self._has_unread():
            return
        if cycle is None and self._deadline is None:
            self._deadline = self.loop.call_at(self._since + RECEIVE_SECONDS, self.timeout_keep_alive_handler)
        elif cycle is not None:
            super().shutdown()

    def drain(self) -> None:
        """Close the connection after the reply that is being made."""
        if self.busy:
            self.cycle.keep_alive = False

    def _refuse_pipelined(self) -> NoReturn:
        self._drop("pipelined")
        msg = "too much at once"
        raise ValueError(msg)

    def _has_unread(self) -> bool:
        """Tell whether the kernel holds bytes of an idle connection, or its end."""
        if self.busy or self.transport.is_closing():
            return False
        poll = select.poll()
        poll.register(self.transport.get_extra_info("socket").fileno(), select.POLLIN)
        return bool(poll.poll(0))

    def _arm(self) -> None:
        self._disarm()
        self._deadline = self.loop.call_later(RECEIVE_SECONDS, self._drop, "slow")

    def _disarm(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _unset_sending(self) -> None:
        if self._sending is not None:
            self._sending.cancel()
            self._sending = None

    def _drop(self, why: str) -> None:
        self._dropped(why)
        self._abort()

    def _abort(self) -> None:
        transport: Any = self.transport
        transport.abort()
