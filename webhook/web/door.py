"""Accepts the connections of a port.

asyncio's own server takes whatever comes, and a TLS handshake costs 50 KB before the first byte of HTTP: a flood of
silent connections would exhaust memory and descriptors where no protocol sees them. Here each is counted from its first
moment.
"""

import asyncio
import resource
import socket
import ssl
from collections.abc import Callable
from typing import Final

from webhook.web.crowd import Crowd
from webhook.web.protocol import DeadlineProtocol

HANDSHAKE_SECONDS: Final = 5.0
TLS_CLOSE_SECONDS: Final = 2.0

_BATCH: Final = 16
"""Newcomers in one turn of the event loop: in a flood, those before them get on with their handshakes meanwhile."""

_PAUSE_SECONDS: Final = 0.1
_SPARE_DESCRIPTORS: Final = 128
"""For everything but connections: files, the other port, the watch."""


class Door:
    """Lets connections of a listening socket in, as long as the crowd has room; begins at once.

    `entered` hears of each that came in, which in TLS means that its handshake went well.
    """

    def __init__(
        self,
        sock: socket.socket,
        *,
        make: Callable[[], DeadlineProtocol],
        tls: ssl.SSLContext | None,
        crowd: Crowd,
        entered: Callable[[], None],
    ) -> None:
        self._socket = sock
        self._make = make
        self._tls = tls
        self._crowd = crowd
        self._entered = entered
        self._loop = asyncio.get_running_loop()
        self._open = True
        sock.setblocking(False)
        self._listen()

    def close(self) -> None:
        """Let nobody in any more; those who are in stay."""
        self._open = False
        self._loop.remove_reader(self._socket)

    async def wait_closed(self) -> None:
        """Do nothing: uvicorn waits for the connections itself."""

    def _listen(self) -> None:
        if self._open:
            self._loop.add_reader(self._socket, self._accept)

    def _accept(self) -> None:
        for _ in range(_BATCH):
            try:
                accepted, address = self._socket.accept()
            except (BlockingIOError, InterruptedError, ConnectionAbortedError):
                return
            except OSError:
                # No descriptor or no memory is left. The socket stays readable, so look away for a moment.
                self._crowd.make_room()
                self._loop.remove_reader(self._socket)
                self._loop.call_later(_PAUSE_SECONDS, self._listen)
                return
            accepted.setblocking(False)
            self._admit(accepted, address[0])

    def _admit(self, accepted: socket.socket, address: str) -> None:
        protocol = self._make()
        protocol.address = address
        if self._crowd.enter(protocol):
            protocol.entering = self._loop.create_task(self._enter(accepted, protocol))
            protocol.entering.add_done_callback(lambda task: accepted.close() if task.cancelled() else None)
        else:
            accepted.close()

    async def _enter(self, accepted: socket.socket, protocol: DeadlineProtocol) -> None:
        tls = self._tls
        try:
            await self._loop.connect_accepted_socket(
                lambda: protocol,
                accepted,
                ssl=tls,
                ssl_handshake_timeout=HANDSHAKE_SECONDS if tls else None,
                ssl_shutdown_timeout=TLS_CLOSE_SECONDS if tls else None,
            )
        except OSError:
            self._crowd.forget(protocol)
        else:
            self._entered()
        finally:
            protocol.entering = None


def with_room_for(connections: int) -> int:
    """Raise the soft limit of descriptors where it is too low; answer how many connections it allows, at most that."""
    wanted = connections + _SPARE_DESCRIPTORS
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        soft = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        return max(min(connections, soft - _SPARE_DESCRIPTORS), 1)
    return connections
