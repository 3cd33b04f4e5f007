"""Puts the service together and runs it: two ports, the policy, the certificate."""

import asyncio
import logging
from collections.abc import AsyncIterator
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from datetime import UTC
from datetime import datetime

from fastapi import FastAPI

from webhook import __version__
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
from webhook.web.body import Meter
from webhook.web.ports import Ports
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
        self.state = State(own_namespace=settings.namespace)
        self.metrics = Metrics(__version__)
        self._worker = ThreadPoolExecutor(max_workers=1, thread_name_prefix="large-requests")
        self._store = CertificateStore(settings.certificates, minimum=settings.tls_minimum, clock=_now)
        self._upkeep = Upkeep(settings, state=self.state, metrics=self.metrics, store=self._store, load=load)
        self._ports = Ports(
            bind=settings.bind,
            port=settings.port,
            probe_port=settings.probe_port,
            app=self._app(review),
            probes=probe_app(state=self.state, metrics=self.metrics),
            tls=lambda: self._store.context,
            health=self.state,
            drain_seconds=settings.drain_seconds,
        )
        self.port = self._ports.port
        self.probe_port = self._ports.probe_port
        self.started = self._ports.started

    def run(self) -> None:
        """Serve until a signal ends it.

        Raises:
            NumagateError: it could not start.
        """
        try:
            self._ports.run()
        finally:
            self._worker.shutdown(wait=False, cancel_futures=True)

    @property
    def connections(self) -> int:
        """The open connections of the TLS port."""
        return self._ports.connections

    def stop(self, *, drain_seconds: float = 0.0) -> None:
        """Drain and end; may be called from any thread."""
        self._ports.stop(drain_seconds=drain_seconds)

    def _app(self, review: Review) -> FastAPI:
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

        return webhook_app(
            mutate=endpoint(Pass.MUTATE),
            validate=endpoint(Pass.VALIDATE),
            state=self.state,
            metrics=self.metrics,
            lifespan=self._lifespan,
        )

    @asynccontextmanager
    async def _lifespan(self, _app: FastAPI) -> AsyncIterator[None]:
        await self._upkeep.step()
        polling = asyncio.create_task(poll([self._upkeep.step], seconds=self._settings.poll_seconds))
        yield
        polling.cancel()
        _LOGGER.info("stopped")
