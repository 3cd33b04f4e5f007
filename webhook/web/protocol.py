"""The HTTP protocol of both ports: uvicorn's, with a deadline for the client and a cap on connections."""

import asyncio
import time
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
from uvicorn.protocols.http.httptools_impl import RequestResponseCycle

from webhook.web import status
from webhook.web.reply import ReplyTransport

RECEIVE_SECONDS = 5.0
"""From a connection's start, or a request's first byte, to the request's last byte."""

MAX_CONNECTIONS = 1024
"""More would be a flood: an API server keeps 25 idle connections."""


class DeadlineProtocol(HttpToolsProtocol):
    """Closes a connection whose client is silent or slow; an idle connection between requests may stay.

    Each request's scope gets `state.received`, its arrival on the performance counter, `state.queue`, the number of
    requests before it, and `state.peer`, the client's certificate where one was asked for.
    """

    _deadline: asyncio.TimerHandle | None = None
    _peer: dict[str, object] | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn has it
        """Take the connection, or drop it where there are too many."""
        super().connection_made(transport)
        if len(self.connections) > MAX_CONNECTIONS:
            transport.abort()
            return
        self._peer = transport.get_extra_info("peercert")
        self._arm()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the deadline."""
        self._disarm()
        super().connection_lost(exc)

    def on_message_begin(self) -> None:
        """Start the clock of a request."""
        super().on_message_begin()
        self._arm()
        self.scope["state"]["received"] = time.perf_counter()
        self.scope["state"]["peer"] = self._peer

    def on_headers_complete(self) -> None:
        """Hand the request to the application."""
        self.scope["state"]["queue"] = len(self.tasks)
        super().on_headers_complete()
        if not self.expect_100_continue:  # a write of its own, before the reply
            self.cycle.transport = ReplyTransport(self.transport)  # type: ignore[assignment]  # what a cycle needs of it
        if self.parser.should_upgrade():
            # The parser is of no use after an upgrade that was not made.
            self.cycle.keep_alive = False

    def on_message_complete(self) -> None:
        """Stop the clock: the rest is the application's time."""
        self._disarm()
        super().on_message_complete()

    def send_400_response(self, msg: str) -> None:
        """Answer bytes that are no HTTP request."""
        content = status.body(400, msg)
        head = b"HTTP/1.1 400 Bad Request\r\ncontent-type: application/json\r\ncontent-length: %d\r\n" % len(content)
        self.transport.write(head + b"connection: close\r\n\r\n" + content)
        self.transport.close()

    def drain(self) -> None:
        """Close the connection after the reply that is being made."""
        cycle: RequestResponseCycle | None = self.cycle
        if cycle is not None and not cycle.response_complete:
            cycle.keep_alive = False

    def _unsupported_upgrade_warning(self) -> None:
        """Say nothing: who sends an upgrade gets the plain reply, and uvicorn's advice fits no webhook."""

    def _arm(self) -> None:
        self._disarm()
        self._deadline = self.loop.call_later(RECEIVE_SECONDS, self._expire)

    def _disarm(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _expire(self) -> None:
        transport: Any = self.transport
        transport.abort()
