"""Puts the service together and runs it: two ports, the policy, the certificate."""

import asyncio
import gc
import logging
import threading
import time
from collections.abc import AsyncIterator
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from datetime import UTC
from datetime import datetime

from fastapi import FastAPI

from webhook import __version__
from webhook.domain.errors import NumagateError
from webhook.engine.request import Pass
from webhook.server.admission import Admission
from webhook.server.admission import Review
from webhook.server.app import webhook_app
from webhook.server.metrics import Metrics
from webhook.server.settings import Settings
from webhook.server.state import Loaded
from webhook.server.state import State
from webhook.server.upkeep import Upkeep
from webhook.tls.context import CertificateStore
from webhook.web import listener
from webhook.web import logs
from webhook.web.body import Meter
from webhook.web.probes import probe_app
from webhook.web.refresh import poll

_LOGGER = logging.getLogger("numagate.service")


def _now() -> datetime:
    return datetime.now(UTC)


class Service:
    """The running service; `review` decides and `load` reads the policy, both as the caller wants them."""

    def __init__(self, settings: Settings, *, review: Review, load: Callable[[], Loaded]) -> None:
        """Load the certificate and open both ports; the policy is loaded by `run`, and may be wrong then.

        Raises:
            NumagateError: the certificate cannot be served, or a port is taken.
        """
        self._settings = settings
        self.started = threading.Event()
        self.state = State(own_namespace=settings.namespace)
        self.metrics = Metrics(__version__)
        self._worker = ThreadPoolExecutor(max_workers=1, thread_name_prefix="large-requests")
        self._store = CertificateStore(settings.certificates, minimum=settings.tls_minimum, clock=_now)
        self._upkeep = Upkeep(settings, state=self.state, metrics=self.metrics, store=self._store, load=load)
        self._socket = listener.bind(settings.bind, settings.port)
        self._probe_socket = listener.bind(settings.bind, settings.probe_port)
        self.port: int = self._socket.getsockname()[1]
        self.probe_port: int = self._probe_socket.getsockname()[1]
        self._server = self._main_listener(review)
        self._probes = listener.Listener(
            listener.configure(probe_app(state=self.state, metrics=self.metrics), lifespan=False)
        )

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
        try:
            self._server.run([self._socket])
        finally:
            self._probes.should_exit = True
            probes.join(timeout=2.0)
            self._worker.shutdown(wait=False, cancel_futures=True)
        if self._server.failed:
            msg = "the service could not start: its log says why"
            raise NumagateError(msg)

    @property
    def connections(self) -> int:
        """The open connections of the TLS port."""
        return len(self._server.server_state.connections)

    def stop(self, *, drain_seconds: float = 0.0) -> None:
        """Drain and end; may be called from any thread."""
        self._server.stop(drain_seconds=drain_seconds)

    def _main_listener(self, review: Review) -> listener.Listener:
        meter = Meter()

        def endpoint(review_pass: Pass) -> Admission:
            return Admission(
                review_pass=review_pass,
                review=review,
                state=self.state,
                metrics=self.metrics,
                worker=self._worker,
                meter=meter,
            )

        app = webhook_app(
            mutate=endpoint(Pass.MUTATE),
            validate=endpoint(Pass.VALIDATE),
            state=self.state,
            metrics=self.metrics,
            lifespan=self._lifespan,
        )
        return listener.Listener(
            listener.configure(app, lifespan=True, tls=lambda *_: self._store.context),
            drain_seconds=self._settings.drain_seconds,
            on_start=self._start,
            on_drain=self._drain,
            on_tick=self._beat,
        )

    @asynccontextmanager
    async def _lifespan(self, _app: FastAPI) -> AsyncIterator[None]:
        await self._upkeep.step()
        polling = asyncio.create_task(poll([self._upkeep.step], seconds=self._settings.poll_seconds))
        yield
        polling.cancel()
        _LOGGER.info("stopped")

    def _start(self) -> None:
        ports = {logs.PORT: self.port, logs.PROBE_PORT: self.probe_port}
        _LOGGER.info("serving", extra=logs.fields(ports))
        self.started.set()

    def _beat(self) -> None:
        self.state.heartbeat = time.monotonic()

    def _drain(self, seconds: float) -> None:
        self.state.draining = True
        _LOGGER.info("draining", extra=logs.fields({logs.SECONDS: seconds}))
