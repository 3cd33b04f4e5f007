"""The door of a port: who gets in where the process has no room left."""

import asyncio
import errno
import socket
import subprocess
import sys
from dataclasses import dataclass
from typing import Any

import pytest

from webhook.web import door
from webhook.web import listener


class Exhausted(socket.socket):
    """A listening socket for whose first newcomer there is no descriptor left."""

    failed = False

    def accept(self) -> tuple[socket.socket, Any]:
        """Fail once."""
        if not self.failed:
            self.failed = True
            raise OSError(errno.EMFILE, "too many open files")
        return super().accept()


@dataclass(eq=False)
class Stranger:
    """A connection that says nothing."""

    address: str = ""
    busy: bool = False
    left: bool = False

    def leave(self) -> None:
        """Go."""
        self.left = True


async def nothing(_scope: object, _receive: object, _send: object) -> None:
    """Stand for an application that is never asked."""


def test_where_no_descriptor_is_left_a_stranger_goes_and_the_newcomer_gets_in() -> None:
    stranger = Stranger()

    async def serve() -> int:
        server = listener.Listener(listener.configure(nothing, lifespan=False))
        server.config.load()
        server.lifespan = server.config.lifespan_class(server.config)
        crowd = server.crowd
        crowd.enter(stranger)
        came = asyncio.Event()
        with Exhausted() as listening:
            listening.bind(("127.0.0.1", 0))
            listening.listen()
            opened = door.Door(listening, make=server._protocol, tls=None, crowd=crowd, entered=came.set)  # noqa: SLF001
            _, writer = await asyncio.open_connection(*listening.getsockname())
            await asyncio.wait_for(came.wait(), 10)
            opened.close()
            found = len(crowd)
            writer.close()
            for connection in list(server.server_state.connections):
                connection.shutdown()
            await writer.wait_closed()
        return found

    assert asyncio.run(serve()) == 1
    assert stranger.left


@pytest.mark.parametrize(("soft", "hard", "room"), [(100, 4096, 1024), (300, 300, 172), (20, 100, 1)])
def test_descriptors_limit_the_connections(soft: int, hard: int, room: int) -> None:
    script = (
        f"import resource; resource.setrlimit(resource.RLIMIT_NOFILE, ({soft}, {hard}));"
        "from webhook.web.door import with_room_for; print(with_room_for(1024))"
    )

    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)

    assert int(done.stdout) == room
