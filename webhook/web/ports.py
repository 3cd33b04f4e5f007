"""Runs a process of ours on its two ports: TLS for the API server, and plain for probes and metrics."""

import gc
import logging
import math
import ssl
import threading
from collections.abc import Callable

from fastapi import FastAPI
from starlette.types import ASGIApp

from webhook.domain.errors import NumagateError
from webhook.web import listener
from webhook.web import logs
from webhook.web.common_metrics import CommonMetrics
from webhook.web.crowd import Crowd
from webhook.web.health import Health
from webhook.web.knock import Knocker
from webhook.web.watchdog import Watchdog

PROBES_SECONDS = 2.0
"""For the thread of the plain port to end."""

_PROBES = 128
"""Connections of the plain port: kubelet and Prometheus need a handful."""

_LOGGER = logging.getLogger("numagate.service")


class Ports:
    """Both ports, bound; `tls` answers the context for the next handshake.

    `started` is set once the TLS port has shaken hands, or could not.
    """

    def __init__(
        self,
        *,
        bind: str,
        port: int,
        probe_port: int,
        app: ASGIApp,
        probes: FastAPI,
        tls: Callable[[], ssl.SSLContext],
        health: Health,
        metrics: CommonMetrics,
        drain_seconds: float,
    ) -> None:
        """Open both ports.

        Raises:
            NumagateError: a port is taken.
        """
        self.started = threading.Event()
        self._health = health
        self._health.shaken = -math.inf
        self._metrics = metrics
        self._socket = listener.bind(bind, port)
        self._probe_socket = listener.bind(bind, probe_port)
        self.port: int = self._socket.getsockname()[1]
        self.probe_port: int = self._probe_socket.getsockname()[1]
        self._server = listener.Listener(
            listener.configure(app, lifespan=True, tls=lambda *_: tls()),
            drain_seconds=drain_seconds,
            on_start=self._start,
            on_drain=self._drain,
            on_tick=self._tick,
            on_enter=health.shake,
            on_drop=metrics.port.dropped,
        )
        metrics.port.connections(self.crowd.__len__)
        self._probes = listener.Listener(
            listener.configure(probes, lifespan=False), on_drop=metrics.port.dropped, connections=_PROBES
        )
        self._watchdog: Watchdog | None = None

    def run(self) -> None:
        """Serve until a signal ends it.

        Raises:
            NumagateError: it could not start.
        """
        # Probes have a thread of their own: a busy event loop must not look like a dead one.
        probes = threading.Thread(target=lambda: self._probes.run([self._probe_socket]), name="probes", daemon=True)
        probes.start()
        # What is loaded by now stays for good: no collection need walk it again.
        gc.collect()
        gc.freeze()
        knocker = Knocker(self._socket.getsockname()[:2])
        self._watchdog = Watchdog(
            health=self._health,
            thread=threading.get_ident(),
            knock=lambda seconds: knocker.knock(seconds=seconds),
            looked=self.started.set,
        )
        try:
            self._server.run([self._socket])
        finally:
            self._watchdog.stop()
            self._probes.should_exit = True
            probes.join(PROBES_SECONDS)
        if self._server.failed:
            msg = "the service could not start: its log says why"
            raise NumagateError(msg)

    @property
    def crowd(self) -> Crowd:
        """The open connections of the TLS port, those in the handshake included."""
        return self._server.crowd

    @property
    def requests(self) -> int:
        """The requests of the TLS port that have come and are not answered yet."""
        return len(self._server.server_state.tasks)

    def stop(self, *, drain_seconds: float = 0.0) -> None:
        """Drain and end; may be called from any thread."""
        self._server.stop(drain_seconds=drain_seconds)

    def _start(self) -> None:
        ports = {logs.PORT: self.port, logs.PROBE_PORT: self.probe_port}
        _LOGGER.info("serving", extra=logs.fields(ports))
        assert self._watchdog is not None  # noqa: S101  # made by run, for the type checker
        # What it took to get here is no sign of a stuck loop.
        self._health.beat()
        self._watchdog.start()

    def _tick(self, late: float) -> None:
        self._health.beat()
        self._metrics.port.loop_lag.observe(late)

    def _drain(self, seconds: float) -> None:
        self._health.draining = True
        _LOGGER.info("draining", extra=logs.fields({logs.SECONDS: seconds}))
