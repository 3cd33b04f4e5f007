"""Reads a request body within a limit, while it streams in."""

from contextlib import suppress
from types import TracebackType
from typing import Self

from starlette.types import Receive

from webhook.domain.errors import RequestError
from webhook.web.opening import OPENING_BYTES

MAX_BYTES = 7 * 1024 * 1024
"""An update carries two objects of at most 3 MiB each, and the review around them."""

MAX_BYTES_HELD = 32 * 1024 * 1024
"""What all unfinished large requests may hold together: a parsed body takes several times its bytes."""

FREE_BYTES = 64 * 1024
"""A real pod has a tenth of this."""

_MAX_DIGITS = 18


class Incoming:
    """A request body on its way; `finished` once its last piece has been taken, `too_large` if it is refused."""

    __slots__ = ("_receive", "finished", "too_large")

    def __init__(self, receive: Receive) -> None:
        self._receive = receive
        self.finished = False
        self.too_large = False

    async def next(self) -> bytes:
        """Answer the next piece.

        Raises:
            Disconnected: the client went away.
        """
        message = await self._receive()
        if message["type"] == "http.disconnect":
            self.finished = True
            raise Disconnected
        self.finished = not message.get("more_body", False)
        piece: bytes = message.get("body", b"")
        return piece


class Disconnected(Exception):  # noqa: N818  # no error: the client went away
    """The client closed the connection before its request was complete."""


class Meter:
    """Counts the bytes that all unfinished large requests hold, on one event loop.

    The first `free` bytes of each are not counted: however many large ones come, an ordinary pod is let in.
    """

    def __init__(self, limit: int = MAX_BYTES_HELD, *, free: int = FREE_BYTES) -> None:
        self.limit = limit
        self.free = free
        self.held = 0

    def lease(self, declared: int = 0) -> "Lease":
        """Answer the account of one request, which declares a length or 0; leaving it gives its bytes back."""
        return Lease(self, declared)


class Lease:
    """The bytes that one request holds."""

    __slots__ = ("_charged", "_declared", "_meter", "_size")

    def __init__(self, meter: Meter, declared: int) -> None:
        self._meter = meter
        self._declared = declared
        self._size = 0
        self._charged = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self._meter.held -= self._charged

    def take(self, size: int) -> None:
        """Add `size` bytes; a request that turns out large is counted with all that it declares.

        So of many at once some come through, and none of the others sends its megabytes in vain.

        Raises:
            RequestError: 429, the requests of this moment hold too much.
        """
        self._size += size
        if self._size <= self._meter.free:
            return
        more = max(self._size, self._declared) - self._charged
        if self._meter.held + more > self._meter.limit:
            msg = "too many large requests at this moment: try again"
            raise RequestError(msg, status=429, reason="TooManyRequests")
        self._meter.held += more
        self._charged += more


def declared_length(headers: list[tuple[bytes, bytes]]) -> int:
    """Answer Content-Length; 0 where there is none (a chunked body)."""
    for name, value in headers:
        if name == b"content-length":
            return int(value) if value.isdigit() and len(value) <= _MAX_DIGITS else 0
    return 0


async def read_body(incoming: Incoming, lease: Lease, *, declared: int = 0, limit: int = MAX_BYTES) -> bytes:
    """Answer the whole body, which declares a length or 0.

    Raises:
        TooLargeError: as soon as its beginning is there, where it declares so; else as soon as the limit is passed.
        RequestError: 429, all requests together hold too much.
        Disconnected: the client went away.
    """
    pieces: list[bytes] = []
    opening, size = b"", 0
    while not incoming.finished:
        piece = await incoming.next()
        if len(opening) < OPENING_BYTES:
            opening += piece[:OPENING_BYTES]
        size += len(piece)
        if size > limit or (declared > limit and size >= OPENING_BYTES):
            incoming.too_large = True
            excess = f"is larger than {limit} bytes"
            raise TooLargeError(excess, opening)
        lease.take(len(piece))
        pieces.append(piece)
    return pieces[0] if len(pieces) == 1 else b"".join(pieces)


class TooLargeError(RequestError):
    """A body is too large: `excess` says by what, such as "is larger than 7 bytes"; `opening` is how it begins."""

    def __init__(self, excess: str, opening: bytes) -> None:
        """Keep both for who can make more of it than a Status."""
        super().__init__(f"the body {excess}", status=413, reason="RequestEntityTooLarge")
        self.excess = excess
        self.opening = opening


async def linger(incoming: Incoming, *, limit: int = 2 * MAX_BYTES) -> None:
    """Take the rest of a body and forget it: a client that still sends could lose a reply that ends the connection.

    It ends with the body, at `limit`, or at the protocol's receive deadline.
    """
    size = 0
    with suppress(Disconnected):
        while not incoming.finished and size < limit:
            size += len(await incoming.next())
