"""Asks clients for a certificate: the gate, and the upkeep of the CAs that sign for them."""

import logging
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from prometheus_client import CollectorRegistry
from starlette.types import ASGIApp

from webhook.domain.errors import NumagateError
from webhook.tls.client_authorities import ClientAuthorities
from webhook.tls.client_authorities import read_client_authorities
from webhook.tls.context import CertificateStore
from webhook.tls.context import Served
from webhook.tls.refusal import telling
from webhook.web import logs
from webhook.web.client_gate import ClientGate
from webhook.web.client_metrics import ClientMetrics
from webhook.web.refresh import Reloader
from webhook.web.refresh import fingerprint

API_SERVER = "kube-apiserver"
"""The common name that may call where none is named: the one that `numagate certs client` issues."""

_LOGGER = logging.getLogger("numagate.clients")


@dataclass(frozen=True, slots=True)
class Clients:
    """Who may call: a file of CA certificates, and the names that their certificates may have."""

    ca: Path
    names: tuple[str, ...] = (API_SERVER,)

    def authorities(self, now: datetime) -> ClientAuthorities:
        """Read the file as it is now.

        Raises:
            CertificateError: it cannot be used.
        """
        return read_client_authorities(self.ca, now)


class ClientAuth:
    """Keeps the CAs of a certificate store fresh, which was made with them; a bad file leaves the last good ones."""

    def __init__(
        self,
        clients: Clients,
        store: CertificateStore,
        *,
        registry: CollectorRegistry,
        clock: Callable[[], datetime],
    ) -> None:
        self._clients = clients
        self._store = store
        self._clock = clock
        self._metrics = ClientMetrics(registry)
        self._gate = ClientGate(clients.names, self._metrics)
        self._reloader = Reloader(
            look=lambda: fingerprint((clients.ca,)), load=self._load, accept=self._accept, reject=self._reject
        )
        # Every handshake begins in this one context.
        store.context.sslobject_class = telling(self._gate.refuse)

    def guard(self, app: ASGIApp) -> ASGIApp:
        """Answer `app` behind the check of names."""
        return self._gate.guard(app)

    async def step(self) -> None:
        """Look at the file once."""
        await self._reloader.step()

    def _load(self) -> tuple[ClientAuthorities, Served]:
        authorities = self._clients.authorities(self._clock())
        # A context of its own: CAs can be added to one in use, and never taken away.
        return authorities, self._store.load(authorities)

    def _accept(self, loaded: tuple[ClientAuthorities, Served]) -> None:
        authorities, served = loaded
        self._store.swap(served)
        self._gate.again()
        self._metrics.authorities(authorities.not_after)
        self._metrics.ca_ok.set(1)
        facts = {logs.COUNT: authorities.count, logs.EXPIRES: authorities.not_after.isoformat()}
        _LOGGER.info("client CA in force", extra=logs.fields(facts))

    def _reject(self, error: NumagateError) -> None:
        self._metrics.ca_failures.inc()
        self._metrics.ca_ok.set(0)
        _LOGGER.error("client CA refused: %s; the last good one stays", error)
