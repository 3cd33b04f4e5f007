"""A reply on its way to the transport: head and body in one write."""

import asyncio

from webhook.web.reply import ReplyTransport


class Written(asyncio.Transport):
    """A transport that remembers what it was told."""

    def __init__(self) -> None:
        super().__init__()
        self.told: list[bytes | str] = []

    def write(self, data: bytes | bytearray | memoryview) -> None:
        """Remember a write."""
        self.told.append(bytes(data))

    def close(self) -> None:
        """Remember the end."""
        self.told.append("close")

    def is_closing(self) -> bool:
        """Tell whether there was an end."""
        return "close" in self.told


def test_head_and_body_leave_together() -> None:
    transport = Written()
    reply = ReplyTransport(transport)

    reply.write(b"head")
    assert transport.told == []
    reply.write(b"body")

    assert transport.told == [b"headbody"]


def test_an_empty_body_sends_the_head() -> None:
    transport = Written()
    reply = ReplyTransport(transport)

    reply.write(b"head")
    reply.write(b"")

    assert transport.told == [b"head"]


def test_what_follows_is_sent_at_once() -> None:
    transport = Written()
    reply = ReplyTransport(transport)

    for piece in (b"head", b"one", b"two", b""):
        reply.write(piece)

    assert transport.told == [b"headone", b"two", b""]


def test_a_head_without_a_body_is_not_lost_at_the_end() -> None:
    transport = Written()
    reply = ReplyTransport(transport)

    reply.write(b"head")
    assert not reply.is_closing()
    reply.close()

    assert transport.told == [b"head", "close"]
    assert reply.is_closing()
