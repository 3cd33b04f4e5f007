"""Reads a request body within a limit, while it streams in."""

from types import TracebackType
from typing import Self

from starlette.types import Receive

from webhook.domain.errors import RequestError

MAX_BYTES = 7 * 1024 * 1024
"""An update carries two objects of at most 3 MiB each, and the review around them."""

MAX_BYTES_HELD = 48 * 1024 * 1024
"""What all unfinished requests may hold together: a parsed body takes several times its bytes."""

_MAX_DIGITS = 18


class Disconnected(Exception):  # noqa: N818  # no error: the client went away
    """The client closed the connection before its request was complete."""


class Meter:
    """Counts the bytes that all unfinished requests hold, on one event loop."""

    def __init__(self, limit: int = MAX_BYTES_HELD) -> None:
        self.limit = limit
        self.held = 0

    def lease(self) -> "Lease":
        """Answer the account of one request; leaving it gives its bytes back."""
        return Lease(self)


class Lease:
    """The bytes that one request holds."""

    __slots__ = ("_meter", "_size")

    def __init__(self, meter: Meter) -> None:
        self._meter = meter
        self._size = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self._meter.held -= self._size

    def take(self, size: int) -> int:
        """Add `size` bytes and answer what the request holds now.

        Raises:
            RequestError: 429, the requests of this moment hold too much.
        """
        meter = self._meter
        if meter.held + size > meter.limit:
            msg = "too many large requests at this moment: try again"
            raise RequestError(msg, status=429, reason="TooManyRequests")
        meter.held += size
        self._size += size
        return self._size


def declared_length(headers: list[tuple[bytes, bytes]]) -> int:
    """Answer Content-Length; 0 where there is none (a chunked body)."""
    for name, value in headers:
        if name == b"content-length":
            return int(value) if value.isdigit() and len(value) <= _MAX_DIGITS else 0
    return 0


async def read_body(receive: Receive, lease: Lease, *, limit: int = MAX_BYTES) -> bytes:
    """Answer the whole body.

    Raises:
        RequestError: 413 as soon as the limit is passed, 429 where all requests together hold too much.
        Disconnected: the client went away.
    """
    chunks: list[bytes] = []
    more = True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise Disconnected
        chunk: bytes = message.get("body", b"")
        if lease.take(len(chunk)) > limit:
            raise too_large(limit)
        chunks.append(chunk)
        more = message.get("more_body", False)
    return chunks[0] if len(chunks) == 1 else b"".join(chunks)


def too_large(limit: int = MAX_BYTES) -> RequestError:
    """Answer the error for a body beyond `limit`."""
    return RequestError(f"the body is larger than {limit} bytes", status=413, reason="RequestEntityTooLarge")


async def linger(receive: Receive, *, limit: int = 2 * MAX_BYTES) -> None:
    """Read on and forget: a client that still sends would lose the reply if the connection were closed under it.

    It ends with the body, at `limit`, or at the protocol's receive deadline.
    """
    size, more = 0, True
    while more and size < limit:
        message = await receive()
        size += len(message.get("body", b""))
        more = message["type"] == "http.request" and message.get("more_body", False)
