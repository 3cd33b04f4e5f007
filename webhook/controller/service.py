"""Puts the controller together and runs it: the watches, the election, the writer, and two ports.

Threads: the event loop of the TLS port (the main thread), that of the probes, one for each watched kind, one for the
watch of our own snapshot, one for the election, one that writes. They share the picture, whose parts have locks of
their own, and the changes, which wake the writer. SIGTERM stops them: first those that watch and write, then the
election, which gives the Lease up.
"""

import asyncio
import logging
import threading
from collections.abc import AsyncIterator
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from datetime import UTC
from datetime import datetime
from functools import partial
from typing import Final

from fastapi import FastAPI
from starlette.types import ASGIApp

from webhook import __version__
from webhook.controller import kinds
from webhook.controller import namespace_webhook
from webhook.controller.app import controller_app
from webhook.controller.changes import Changes
from webhook.controller.configurations import ClusterConfigurations
from webhook.controller.documents import Documents
from webhook.controller.issuing import Issuing
from webhook.controller.keeper import Keeper
from webhook.controller.keeper import Render
from webhook.controller.metrics import Metrics
from webhook.controller.namespace_pods import list_pods
from webhook.controller.namespace_webhook import NamespaceWebhook
from webhook.controller.settings import Settings
from webhook.controller.state import State
from webhook.controller.watches import Picture
from webhook.controller.writer import Writer
from webhook.domain import api
from webhook.domain.raw import JsonObject
from webhook.domain.raw import get_object
from webhook.domain.raw import get_text
from webhook.kube.apply import CONFIG_MAPS
from webhook.kube.apply import apply_config_map
from webhook.kube.apply import patch_status
from webhook.kube.client import Client
from webhook.kube.election import Election
from webhook.kube.once import Once
from webhook.kube.single import ObjectWatch
from webhook.sources.known_world import KnownWorld
from webhook.tls.context import CertificateStore
from webhook.web.body import Meter
from webhook.web.certificate import CertificateUpkeep
from webhook.web.client_auth import ClientAuth
from webhook.web.ports import Ports
from webhook.web.probes import is_ready
from webhook.web.probes import probe_app
from webhook.web.refresh import poll

JOIN_SECONDS: Final = 5.0
"""For each thread to end; none waits for anything but the API server, whose streams are closed by then."""

_LABELS: Final = {"app.kubernetes.io/name": "numagate", "app.kubernetes.io/component": "controller"}

_LOGGER = logging.getLogger("numagate.controller")


def _now() -> datetime:
    return datetime.now(UTC)


class Controller:
    """The running controller; `endpoints` are webhooks by path, which answer from its picture.

    `render` makes the webhook configurations that are to be kept in step; without it nobody keeps them.
    """

    def __init__(
        self,
        settings: Settings,
        *,
        client: Client,
        endpoints: Mapping[str, ASGIApp] | None = None,
        render: Render | None = None,
    ) -> None:
        """Load the certificate and open both ports; the API server is first asked by `run`.

        Raises:
            NumagateError: the certificate cannot be served, or a port is taken.
        """
        self._settings = settings
        self._client = client
        self._stop = threading.Event()
        self._resign = threading.Event()
        self._once = Once(_LOGGER)
        self._meter = Meter()
        self._known = KnownWorld(settings.namespace)
        self._worker = ThreadPoolExecutor(max_workers=2, thread_name_prefix="namespaces")
        self.changes = Changes()
        self.picture = Picture(self.changes, own_namespace=settings.namespace)
        self.metrics = Metrics(__version__)
        self.election = Election(
            client,
            namespace=settings.namespace,
            name=settings.lease,
            identity=settings.identity,
            times=settings.times,
            on_change=lambda _leading: self.changes.ring(),
        )
        self._kinds = (*self.picture.sinks, kinds.WORLD)
        self.state = State(missing=lambda: self.changes.missing(self._kinds), leading=lambda: self.election.leading)
        self._writer = self._writing()
        self._issuing = Issuing(settings, client, metrics=self.metrics, wall=_now) if settings.secret else None
        self._keeper = self._keeping(render) if render is not None else None
        clients = settings.clients
        self._store = CertificateStore(
            settings.certificates if self._issuing is None else self._issuing.source,
            minimum=settings.tls_minimum,
            clock=_now,
            clients=clients.authorities(_now()) if clients else None,
        )
        self._clients = (
            ClientAuth(clients, self._store, registry=self.metrics.registry, clock=_now) if clients else None
        )
        self._certificate = CertificateUpkeep(self._store, metrics=self.metrics, health=self.state)
        self.ports = self._listening(endpoints or {})
        self._count()

    def run(self) -> None:
        """Watch, write and serve until a signal ends it.

        Raises:
            NumagateError: it could not start.
        """
        election = threading.Thread(target=self.election.run, args=(self._resign,), name="election", daemon=True)
        others = self._threads()
        for thread in (election, *others):
            thread.start()
        try:
            self.ports.run()
        finally:
            self._stop.set()
            self.changes.ring()
            self._client.close()
            self._worker.shutdown(wait=False, cancel_futures=True)
            for thread in others:
                thread.join(JOIN_SECONDS)
            # No snapshot of ours comes after the Lease was given up.
            self._resign.set()
            election.join(JOIN_SECONDS)

    def stop(self, *, drain_seconds: float = 0.0) -> None:
        """Drain and end; may be called from any thread."""
        self.ports.stop(drain_seconds=drain_seconds)

    def _threads(self) -> list[threading.Thread]:
        own = ObjectWatch(
            self._client,
            CONFIG_MAPS,
            namespace=self._settings.namespace,
            name=self._settings.world,
            receive=self._receive,
            fail=lambda error: self._once.warn(f"our own snapshot cannot be watched: {error}"),
        )
        made = self.picture.threads(self._client, self._stop, on_restart=self.metrics.restarted)
        runs = {"watch-World": own.run, "writer": self._writer.run}
        if self._issuing is not None:
            runs["watch-Secret"] = self._issuing.watch.run
        if self._keeper is not None:
            runs["configurations"] = self._keeper.run
        for name, run in runs.items():
            made.append(threading.Thread(target=run, args=(self._stop,), name=name, daemon=True))
        return made

    def _listening(self, endpoints: Mapping[str, ASGIApp]) -> Ports:
        app = controller_app(
            endpoints={namespace_webhook.PATH: self._namespaces(), **endpoints},
            state=self.state,
            metrics=self.metrics,
            lifespan=self._lifespan,
        )
        return Ports(
            bind=self._settings.bind,
            port=self._settings.port,
            probe_port=self._settings.probe_port,
            app=self._clients.guard(app) if self._clients else app,
            probes=probe_app(state=self.state, metrics=self.metrics),
            tls=lambda: self._store.context,
            health=self.state,
            metrics=self.metrics,
            drain_seconds=self._settings.drain_seconds,
        )

    def _writing(self) -> Writer:
        return Writer(
            changes=self.changes,
            kinds=self._kinds,
            composer=self.picture.composer,
            documents=[self.picture.policies, self.picture.profiles],
            leading=lambda: self.election.leading,
            publish=self._publish,
            tell=self._tell,
            metrics=self.metrics,
        )

    def _keeping(self, render: Render) -> Keeper:
        keeper = Keeper(
            ClusterConfigurations(self._client),
            render=render,
            certificates=self._issuing.rotator if self._issuing else None,
            # Certificates wait for nothing; policies that are not known whole are none to be in step with.
            policies=lambda: () if self.changes.missing(self._kinds) else self.picture.policies.in_force(),
            leading=lambda: self.election.leading,
            meters=self.metrics,
            look_seconds=self._settings.look_seconds,
            read_seconds=self._settings.read_seconds,
        )
        self.state.configurations = lambda: keeper.note
        return keeper

    def _receive(self, found: JsonObject | None) -> None:
        self._once.again()
        text = get_text(get_object(found, "data"), api.WORLD_KEY)
        self._known.receive(text)
        self._writer.receive(text)
        self.changes.whole(kinds.WORLD)

    def _publish(self, text: str) -> None:
        apply_config_map(
            self._client,
            namespace=self._settings.namespace,
            name=self._settings.world,
            data={api.WORLD_KEY: text},
            labels=_LABELS,
        )

    def _namespaces(self) -> ASGIApp:
        return NamespaceWebhook(
            world=self._known,
            list_pods=partial(list_pods, self._client),
            metrics=self.metrics,
            meter=self._meter,
            worker=self._worker,
        )

    def _tell(self, documents: Documents, name: str, status: JsonObject) -> None:
        patch_status(self._client, documents.resource, name=name, status=status)

    def _count(self) -> None:
        for kind, sink in self.picture.sinks.items():
            self.metrics.holds(kind, sink.__len__)
        for documents in (self.picture.policies, self.picture.profiles):
            self.metrics.judges(documents.kind, documents.invalid)
        self.metrics.leads(lambda: self.election.leading)
        if (issuing := self._issuing) is not None:
            self.state.issued = lambda: not issuing.is_provisional(self._store.served.serial)
            self.state.certificates = lambda: issuing.note
        self.metrics.ready(lambda: is_ready(self.state))
        self.metrics.port.held(lambda: self._meter.held)
        self.metrics.port.in_flight(lambda: self.ports.requests)

    @asynccontextmanager
    async def _lifespan(self, _app: FastAPI) -> AsyncIterator[None]:
        steps = [self._certificate.step, *([self._clients.step] if self._clients else [])]
        for step in steps:
            await step()
        polling = asyncio.create_task(poll(steps, seconds=self._settings.poll_seconds))
        yield
        polling.cancel()
        _LOGGER.info("stopped")
