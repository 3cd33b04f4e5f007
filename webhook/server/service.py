"""Puts the service together and runs it: two ports, the policy, the certificate."""

import asyncio
import logging
import math
from collections.abc import AsyncIterator
from collections.abc import Callable
from contextlib import asynccontextmanager
from datetime import UTC
from datetime import datetime
from typing import TYPE_CHECKING

from fastapi import FastAPI
from starlette.types import ASGIApp

from webhook import __version__
from webhook.engine.request import Pass
from webhook.server.admission import Admission
from webhook.server.admission import Review
from webhook.server.app import webhook_app
from webhook.server.installing import Installer
from webhook.server.metrics import Metrics
from webhook.server.settings import Settings
from webhook.server.state import Loaded
from webhook.server.state import State
from webhook.server.upkeep import Upkeep
from webhook.tls.context import CertificateStore
from webhook.web.aside import Aside
from webhook.web.body import Meter
from webhook.web.client_auth import ClientAuth
from webhook.web.crowd import Crowd
from webhook.web.ports import Ports
from webhook.web.probes import is_ready
from webhook.web.probes import probe_app
from webhook.web.refresh import poll
from webhook.web.turns import Turns

if TYPE_CHECKING:
    from webhook.kube.client import Client
    from webhook.server.world_watch import WorldWatch

_LOGGER = logging.getLogger("numagate.service")


def _now() -> datetime:
    return datetime.now(UTC)


class Service:
    """The running service; `review` decides.

    `load` reads the policy or the snapshot from files; without it, `client` watches the snapshot that settings name.
    """

    def __init__(
        self, settings: Settings, *, review: Review, load: Callable[[], Loaded] | None, client: "Client | None" = None
    ) -> None:
        """Load the certificate and open both ports; the policy is loaded by `run`, and may be wrong then.

        Raises:
            NumagateError: the certificate cannot be served, or a port is taken.
        """
        self._settings = settings
        self.state = State(own_namespace=settings.namespace)
        self.metrics = Metrics(__version__)
        self.metrics.world_age(self._world_age)
        self.metrics.expired_exemptions(self._expired_exemptions)
        self._aside = Aside()
        self.metrics.ready(lambda: is_ready(self.state))
        self.metrics.port.held(lambda: self._meter.held)
        self.metrics.port.in_flight(lambda: self._ports.requests)
        self._meter = Meter()
        clients = settings.clients
        self._store = CertificateStore(
            settings.certificates,
            minimum=settings.tls_minimum,
            clock=_now,
            clients=clients.authorities(_now()) if clients else None,
        )
        self._clients = (
            ClientAuth(clients, self._store, registry=self.metrics.registry, clock=_now) if clients else None
        )
        self._upkeep = Upkeep(settings, state=self.state, metrics=self.metrics, store=self._store, load=load)
        self._watch = self._watch_by(client) if client is not None else None
        self._ports = Ports(
            bind=settings.bind,
            port=settings.port,
            probe_port=settings.probe_port,
            app=self._clients.guard(self._app(review)) if self._clients else self._app(review),
            probes=probe_app(state=self.state, metrics=self.metrics),
            tls=lambda: self._store.context,
            health=self.state,
            metrics=self.metrics,
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
            self._aside.close()

    @property
    def crowd(self) -> Crowd:
        """The open connections of the TLS port."""
        return self._ports.crowd

    def stop(self, *, drain_seconds: float = 0.0) -> None:
        """Drain and end; may be called from any thread."""
        self._ports.stop(drain_seconds=drain_seconds)

    def _app(self, review: Review) -> ASGIApp:
        turns = Turns()

        def endpoint(review_pass: Pass) -> Admission:
            return Admission(
                review_pass=review_pass,
                review=review,
                state=self.state,
                metrics=self.metrics,
                meter=self._meter,
                turns=turns,
                aside=self._aside,
            )

        return webhook_app(
            mutate=endpoint(Pass.MUTATE),
            validate=endpoint(Pass.VALIDATE),
            state=self.state,
            metrics=self.metrics,
            lifespan=self._lifespan,
        )

    def _watch_by(self, client: "Client") -> "WorldWatch | None":
        if self._settings.world_object is None:
            return None
        from webhook.server.world_watch import WorldWatch  # noqa: PLC0415  # 10 MB that the other modes need not pay

        namespace, name = self._settings.world_object
        installer = Installer(self.state, self.metrics)
        return WorldWatch(client, namespace=namespace, name=name, installer=installer, metrics=self.metrics)

    def _expired_exemptions(self) -> float:
        now, policies = _now(), self.state.loaded.policies if self.state.loaded else ()
        return sum(not rule.holds_at(now) for policy in policies for rule in policy.exemptions.rules)

    def _world_age(self) -> float:
        snapshot = self.state.snapshot
        return (_now() - snapshot.written).total_seconds() if snapshot else math.nan

    @asynccontextmanager
    async def _lifespan(self, _app: FastAPI) -> AsyncIterator[None]:
        steps = [self._upkeep.step, *([self._clients.step] if self._clients else [])]
        for step in steps:
            await step()
        if self._watch is not None:
            self._watch.start()
        polling = asyncio.create_task(poll(steps, seconds=self._settings.poll_seconds))
        yield
        polling.cancel()
        if self._watch is not None:
            await asyncio.to_thread(self._watch.stop)
        _LOGGER.info("stopped")
