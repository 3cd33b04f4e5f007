"""Sends the head of a reply together with the first piece of its body: one TLS record and one system call."""

import asyncio


class ReplyTransport:
    """The transport of one reply, of which uvicorn uses three methods; the first write waits for the second."""

    __slots__ = ("_head", "_transport")

    def __init__(self, transport: asyncio.Transport) -> None:
        self._transport = transport
        self._head: bytes | None = b""

    def write(self, data: bytes) -> None:
        """Keep the first piece, send every other one with what was kept."""
        if self._head is None:
            self._transport.write(data)
        elif self._head:
            self._transport.write(self._head + data)
            self._head = None
        else:
            self._head = data

    def close(self) -> None:
        """Close the connection; a head whose body never came is sent."""
        if self._head:
            self._transport.write(self._head)
        self._transport.close()

    def is_closing(self) -> bool:
        """Tell whether the connection ends."""
        return self._transport.is_closing()
