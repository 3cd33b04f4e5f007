"""A program that passes TCP connections on to the ready ones of several replicas, as kube-proxy does for a Service.

It reads the replicas from a JSON file, looks again whether that changed, asks each for its readiness, and takes what it
sees as the endpoints in force a while later, as a change of an EndpointSlice reaches a node. New connections go to an
endpoint by chance, existing ones stay where they are.
"""

import argparse
import asyncio
import json
import random
import socket
import struct
from collections import deque
from pathlib import Path

import uvloop

LOOK_SECONDS = 0.1
PROBE_SECONDS = 1.0
SILENT_PROBES = 2
"""So many probes in a row that nobody answers in time make a replica unready; a refused one does at once."""

PROBE = b"GET /readyz HTTP/1.1\r\nHost: balancer\r\nConnection: close\r\n\r\n"
RESET = struct.pack("ii", 1, 0)
BACKLOG = 1024


class Side(asyncio.Protocol):
    """One of the two connections of a passage; what it receives goes out on the other one, `delay` seconds later.

    The delay stands for a slow service, not for a long way: the end of an idle connection is not late.
    """

    def __init__(self, delay: float = 0.0) -> None:
        self.delay = delay
        self.other: Side | None = None
        self.transport: asyncio.Transport | None = None
        self._late: deque[bytes | None] = deque()

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # uvloop has no bases
        """Keep the transport."""
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        """Pass bytes on."""
        self._pass_on(data)

    def connection_lost(self, exc: Exception | None) -> None:
        """Close the other side as this one was closed."""
        self.transport = None
        if exc is not None and self.other is not None:
            reset(self.other.transport)
        self._pass_on(None)

    def pause_writing(self) -> None:
        """Let the other side wait."""
        if self.other is not None and self.other.transport is not None:
            self.other.transport.pause_reading()

    def resume_writing(self) -> None:
        """Let the other side go on."""
        if self.other is not None and self.other.transport is not None:
            self.other.transport.resume_reading()

    def _pass_on(self, data: bytes | None) -> None:
        if not self.delay or (data is None and not self._late):
            self._send(data)
            return
        self._late.append(data)
        asyncio.get_running_loop().call_later(self.delay, lambda: self._send(self._late.popleft()))

    def _send(self, data: bytes | None) -> None:
        if self.other is None or self.other.transport is None:
            return
        if data is None:
            self.other.transport.close()
        else:
            self.other.transport.write(data)


def reset(transport: asyncio.Transport | None) -> None:
    """End a connection as the kernel does where nobody listens."""
    if transport is not None:
        connection = transport.get_extra_info("socket")
        if connection.fileno() >= 0:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
        transport.abort()


class Endpoints:
    """Which replicas take new connections."""

    def __init__(self, *, replicas: Path, state: Path, lag: float) -> None:
        """`replicas` holds pairs of port and probe port; what is in force is written to `state`."""
        self._replicas, self._state, self._lag = replicas, state, lag
        self._seen: dict[int, bool] = {}
        self._silent: dict[int, int] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self.in_force: list[int] = []
        self.passed = 0

    async def watch(self) -> None:
        """Follow the replicas for ever."""
        written = ""
        while True:
            pairs = dict(json.loads(self._replicas.read_text("utf-8")))
            await asyncio.gather(*(self._look(port, probe_port) for port, probe_port in pairs.items()))
            for gone in self._seen.keys() - pairs.keys():
                self._note(gone, ready=False)
            state = json.dumps({"endpoints": sorted(self.in_force), "passed": self.passed})
            if state != written:
                write(self._state, state)
                written = state
            await asyncio.sleep(LOOK_SECONDS)

    async def _look(self, port: int, probe_port: int) -> None:
        ready = await probe(probe_port)
        self._silent[port] = self._silent.get(port, 0) + 1 if ready is None else 0
        if ready is not None or self._silent[port] >= SILENT_PROBES:
            self._note(port, ready=bool(ready))

    def _note(self, port: int, *, ready: bool) -> None:
        if self._seen.get(port, False) != ready:
            self._seen[port] = ready
            asyncio.get_running_loop().call_later(self._lag, self._apply, port, ready)

    def _apply(self, port: int, ready: bool) -> None:
        self.in_force = [other for other in self.in_force if other != port] + [port] * ready

    def accept(self) -> "Front":
        """Take a new connection."""
        front = Front(self)
        self.passed += 1
        return front

    def connect(self, front: "Front", delay: float) -> None:
        """Find a replica for a new connection, which is reset where there is none."""
        task = asyncio.create_task(self._connect(front, delay))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _connect(self, front: "Front", delay: float) -> None:
        try:
            port = random.choice(self.in_force)  # noqa: S311  # no secret
            back = Side(delay)
            await asyncio.get_running_loop().create_connection(lambda: back, "127.0.0.1", port)
        except (OSError, IndexError):
            reset(front.transport)
            return
        back.other, front.other = front, back
        front.catch_up()
        if front.transport is None:
            reset(back.transport)


class Front(Side):
    """The client's side; what it receives before it has a replica waits."""

    delay_of_replies = 0.0

    def __init__(self, endpoints: Endpoints) -> None:
        super().__init__()
        self._endpoints = endpoints
        self._early: list[bytes] = []

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # uvloop has no bases
        """Look for a replica."""
        super().connection_made(transport)
        self._endpoints.connect(self, self.delay_of_replies)

    def data_received(self, data: bytes) -> None:
        """Pass bytes on, or keep them."""
        if self.other is None:
            self._early.append(data)
        else:
            super().data_received(data)

    def catch_up(self) -> None:
        """Pass on what came before there was a replica."""
        for data in self._early:
            super().data_received(data)


async def probe(port: int) -> bool | None:
    """Ask for readiness; None is no answer in time."""
    try:
        async with asyncio.timeout(PROBE_SECONDS):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(PROBE)
            first = await reader.readline()
            writer.close()
    except TimeoutError:
        return None
    except OSError:
        return False
    return b" 200 " in first


def write(path: Path, text: str) -> None:
    """Replace a file so that nobody reads half of it."""
    draft = path.with_suffix(".draft")
    draft.write_text(text, "utf-8")
    draft.replace(path)


async def main() -> None:
    """Run until the end of the process."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--replicas", type=Path, required=True)
    parser.add_argument("--state", type=Path, required=True)
    parser.add_argument("--lag", type=float, required=True, help="seconds until a change of readiness is in force")
    parser.add_argument("--delay", type=float, required=True, help="seconds that replies are late")
    arguments = parser.parse_args()
    Front.delay_of_replies = arguments.delay
    endpoints = Endpoints(replicas=arguments.replicas, state=arguments.state, lag=arguments.lag)
    await asyncio.get_running_loop().create_server(endpoints.accept, "127.0.0.1", arguments.port, backlog=BACKLOG)
    await endpoints.watch()


if __name__ == "__main__":
    uvloop.run(main())
