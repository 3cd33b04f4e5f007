"""Reading a body: the limits of one request and of all together."""

import asyncio
from collections.abc import Iterable

import pytest
from starlette.types import Message
from starlette.types import Receive

from webhook.domain.errors import RequestError
from webhook.web.body import Disconnected
from webhook.web.body import Incoming
from webhook.web.body import Meter
from webhook.web.body import declared_length
from webhook.web.body import linger
from webhook.web.body import read_body


def receiver(messages: Iterable[Message]) -> Receive:
    """Answer an ASGI receive that hands out `messages`."""
    rest = iter(messages)

    async def receive() -> Message:
        return next(rest)

    return receive


def chunks(*parts: bytes) -> list[Message]:
    """Answer the messages of a body in `parts`."""
    last = len(parts) - 1
    return [{"type": "http.request", "body": part, "more_body": at < last} for at, part in enumerate(parts)]


def read(messages: Iterable[Message], *, limit: int = 10, meter: Meter | None = None) -> bytes:
    """Read a body of `messages`."""
    with (meter or Meter(100)).lease() as lease:
        return asyncio.run(read_body(Incoming(receiver(messages)), lease, limit=limit))


@pytest.mark.parametrize("parts", [[b""], [b"abc"], [b"ab", b"", b"c"], [b"0123456789"]])
def test_a_body_within_the_limit_is_read_whole(parts: list[bytes]) -> None:
    assert read(chunks(*parts)) == b"".join(parts)


def test_a_body_beyond_the_limit_is_refused_before_its_end() -> None:
    endless = ({"type": "http.request", "body": b"1234", "more_body": True} for _ in iter(int, 1))

    with pytest.raises(RequestError) as caught:
        read(endless)

    assert (caught.value.status, caught.value.reason) == (413, "RequestEntityTooLarge")


@pytest.mark.parametrize("parts", [[b"0123456789a"], [b"0123456789", b"a"]])
def test_one_byte_more_is_refused_though_no_length_was_declared(parts: list[bytes]) -> None:
    with pytest.raises(RequestError, match="larger than 10 bytes"):
        read(chunks(*parts))


def test_a_client_that_goes_away_is_no_body() -> None:
    with pytest.raises(Disconnected):
        read([*chunks(b"a", b"b")[:1], {"type": "http.disconnect"}])


def test_large_requests_together_hold_a_bounded_number_of_bytes() -> None:
    meter = Meter(15, free=4)

    with meter.lease() as other:
        other.take(8)
        with pytest.raises(RequestError) as caught:
            read(chunks(b"12345678"), meter=meter)
        assert (caught.value.status, meter.held) == (429, 8)

    assert read(chunks(b"12345678"), meter=meter) == b"12345678"
    assert meter.held == 0


def test_small_requests_come_in_however_much_is_held() -> None:
    meter = Meter(15, free=4)

    with meter.lease() as other:
        other.take(15)
        assert read(chunks(b"12", b"34"), meter=meter) == b"1234"
        assert meter.held == 15


def test_a_large_request_is_counted_with_all_that_it_declares() -> None:
    meter = Meter(15, free=4)

    with meter.lease(12) as first, meter.lease(12) as second:
        first.take(4)
        assert meter.held == 0
        first.take(1)
        assert meter.held == 12
        with pytest.raises(RequestError):
            second.take(5)
        first.take(7)
        assert meter.held == 12

    assert meter.held == 0


@pytest.mark.parametrize(
    ("value", "length"), [(b"12", 12), (b"0", 0), (b"-1", 0), (b"1_0", 0), (b"", 0), (b"9" * 19, 0), (b"x", 0)]
)
def test_the_declared_length_is_read_strictly(value: bytes, length: int) -> None:
    assert declared_length([(b"host", b"h"), (b"content-length", value)]) == length


def test_a_body_without_declared_length_counts_as_empty() -> None:
    assert declared_length([]) == 0


@pytest.mark.parametrize(
    "messages",
    [
        chunks(b"a", b"b"),
        [{"type": "http.disconnect"}],
        [{"type": "http.request", "body": b"x" * 6, "more_body": True}] * 2,
    ],
    ids=["end", "disconnect", "limit"],
)
def test_lingering_ends_with_the_body_the_client_or_the_limit(messages: list[Message]) -> None:
    rest = iter(messages)

    asyncio.run(linger(Incoming(receiver(rest)), limit=12))

    assert list(rest) == []
