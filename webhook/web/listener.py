"""The uvicorn servers of both ports: bound sockets, who gets in, and the way to stop."""

import asyncio
import signal
import socket
import time
from collections.abc import Callable
from types import FrameType

import uvicorn
from starlette.types import ASGIApp

from webhook.domain.errors import NumagateError
from webhook.web.crowd import Crowd
from webhook.web.door import Door
from webhook.web.door import with_room_for
from webhook.web.protocol import DeadlineProtocol

KEEP_ALIVE_SECONDS = 120
"""The API server drops idle connections after 90 s; were we the first, a request on its way would be lost."""

GRACEFUL_SECONDS = 6
"""For requests in flight when the port closes; no webhook of ours is waited for longer than 5."""

MAX_CONNECTIONS = 1024
"""More would be a flood: an API server keeps 25 idle connections."""

BACKLOG = 1024

_TICK_SECONDS = 0.1
"""uvicorn's."""


_SEND_BUFFER = 64 * 1024
"""The kernel would let each connection have megabytes, and counts them as memory of the pod."""


def bind(host: str, port: int) -> socket.socket:
    """Open a listening socket; an empty host means every address, of IPv6 and IPv4.

    Raises:
        NumagateError: the address cannot be used.
    """
    try:
        opened = _listen(host, port)
    except OSError as error:
        msg = f"cannot listen on {host or 'any address'} port {port}: {error}: choose another with --bind or --port"
        raise NumagateError(msg) from error
    # Those that are accepted inherit it.
    opened.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _SEND_BUFFER)
    return opened


def _listen(host: str, port: int) -> socket.socket:
    if host:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        return socket.create_server((host, port), family=family, backlog=BACKLOG)
    if socket.has_dualstack_ipv6():
        return socket.create_server(("", port), family=socket.AF_INET6, dualstack_ipv6=True, backlog=BACKLOG)
    return socket.create_server(("", port), backlog=BACKLOG)


def configure(app: ASGIApp, *, lifespan: bool, tls: Callable[..., object] | None = None) -> uvicorn.Config:
    """Answer uvicorn's settings: nothing that a webhook does not need."""
    return uvicorn.Config(
        app,
        http=DeadlineProtocol,
        ws="none",
        lifespan="on" if lifespan else "off",
        interface="asgi3",
        log_config=None,
        access_log=False,
        proxy_headers=False,
        server_header=False,
        timeout_keep_alive=KEEP_ALIVE_SECONDS,
        timeout_graceful_shutdown=GRACEFUL_SECONDS,
        backlog=BACKLOG,
        ssl_context_factory=tls,  # type: ignore[arg-type]  # a factory that ignores its arguments
    )


class Listener(uvicorn.Server):
    """A server on a bound socket.

    A signal, or `stop`, starts the lame duck time: every reply closes its connection, and the port stays open until
    all clients have learned to go elsewhere. A second signal ends at once.
    """

    def __init__(
        self,
        config: uvicorn.Config,
        *,
        drain_seconds: float = 0.0,
        on_start: Callable[[], None] = lambda: None,
        on_drain: Callable[[float], None] = lambda _seconds: None,
        on_tick: Callable[[float], None] = lambda _late: None,
        on_enter: Callable[[], None] = lambda: None,
        on_drop: Callable[[str], None] = lambda _reason: None,
        connections: int = MAX_CONNECTIONS,
    ) -> None:
        super().__init__(config)
        self.crowd = Crowd(with_room_for(connections))
        self._drain_seconds = drain_seconds
        self._on_start = on_start
        self._on_drain = on_drain
        self._tick = on_tick
        self._on_enter = on_enter
        self._on_drop = on_drop
        self._ticked: float | None = None
        self.failed = False
        self._exit_at: float | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._signalled = False

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start as uvicorn does, with a door of our own."""
        self._loop = asyncio.get_running_loop()
        await self.lifespan.startup()
        if self.lifespan.should_exit:
            self.failed = self.should_exit = True
            return
        tls = self.config.ssl
        self.servers = [
            Door(sock, make=self._protocol, tls=tls, crowd=self.crowd, entered=self._on_enter)  # type: ignore[misc]
            for sock in sockets or []
        ]
        self.started = True
        self._on_start()

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Drain at the first signal, exit at the second; the exit code stays 0."""
        del frame
        # A signal may come in the middle of a log line: do the work on the loop, not here.
        if self._loop is None or self._signalled:
            self.should_exit = self.force_exit = True
        else:
            # At a terminal nobody waits for a Service to learn.
            seconds = 0.0 if sig == signal.SIGINT else self._drain_seconds
            self._loop.call_soon_threadsafe(lambda: self._drain(seconds))
        self._signalled = True

    def stop(self, *, drain_seconds: float) -> None:
        """Drain and exit; may be called from any thread."""
        if self._loop is not None:
            self._loop.call_soon_threadsafe(lambda: self._drain(drain_seconds))

    def _drain(self, seconds: float) -> None:
        """Leave the Service: be unready, close each connection with its next reply, exit after `seconds`."""
        self._exit_at = time.monotonic() + seconds
        self._on_drain(seconds)
        close = (b"connection", b"close")
        self.config.encoded_headers = [*self.config.encoded_headers, close]
        self.server_state.default_headers = [*self.server_state.default_headers, close]
        for connection in self.server_state.connections:
            if isinstance(connection, DeadlineProtocol):
                connection.drain()

    async def on_tick(self, counter: int) -> bool:
        """Ten times a second: show that the loop turns and how late, and end the lame duck time."""
        now = time.monotonic()
        self._tick(max(now - self._ticked - _TICK_SECONDS, 0.0) if self._ticked is not None else 0.0)
        self._ticked = now
        if self._exit_at is not None and now >= self._exit_at:
            self.should_exit = True
        return await super().on_tick(counter)

    def _protocol(self) -> DeadlineProtocol:
        return DeadlineProtocol(
            config=self.config,
            server_state=self.server_state,
            app_state=self.lifespan.state,
            _loop=asyncio.get_running_loop(),
            crowd=self.crowd,
            dropped=self._on_drop,
        )
