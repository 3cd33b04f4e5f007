"""Upkeep of the serving certificate: what becomes of a new one, good or bad."""

import logging

from webhook.domain.errors import NumagateError
from webhook.tls.context import CertificateStore
from webhook.tls.context import Served
from webhook.web import logs
from webhook.web.common_metrics import CommonMetrics
from webhook.web.health import Health
from webhook.web.refresh import Reloader

_LOGGER = logging.getLogger("numagate.upkeep")


class CertificateUpkeep:
    """Loads the certificate again when its source changes; a refused content leaves the last good one in force."""

    def __init__(self, store: CertificateStore, *, metrics: CommonMetrics, health: Health) -> None:
        self._store = store
        self._metrics = metrics
        self._health = health
        self._reloader = Reloader(look=store.look, load=store.load, accept=self._accept, reject=self._reject)

    async def step(self) -> None:
        """Look at the source once."""
        await self._reloader.step()

    def _accept(self, served: Served) -> None:
        self._store.swap(served)
        self._health.certificate_expiry = served.not_after
        self._health.certificate = served.shown
        self._metrics.certificate(served.not_after, served.lifetime)
        self._metrics.certificate_ok.set(1)
        facts = {logs.SERIAL: f"{served.serial:x}", logs.EXPIRES: served.not_after.isoformat()}
        _LOGGER.info("certificate served", extra=logs.fields(facts))

    def _reject(self, error: NumagateError) -> None:
        self._metrics.certificate_failures.inc()
        self._metrics.certificate_ok.set(0)
        _LOGGER.error("certificate refused: %s; the last good one stays", error)
