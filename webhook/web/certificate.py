"""Upkeep of the serving certificate: what becomes of a new one, good or bad."""

import logging
from collections.abc import Callable
from datetime import datetime
from datetime import timedelta

from webhook.domain.errors import NumagateError
from webhook.tls.context import CertificateStore
from webhook.tls.context import Served
from webhook.web import logs
from webhook.web.common_metrics import CommonMetrics
from webhook.web.probes import Check
from webhook.web.refresh import Reloader

LAST_HOUR = timedelta(hours=1)
"""A replica whose certificate has less than this left stops being ready."""

_LOGGER = logging.getLogger("numagate.upkeep")


def check_expiry(expiry: datetime | None, now: datetime) -> Check:
    """Answer the line of /readyz about a served certificate that ends at `expiry`."""
    valid = expiry is None or expiry - now > LAST_HOUR
    return Check("certificate", valid, f"the served certificate ends at {expiry}: renew it")


class CertificateUpkeep:
    """Loads the certificate again when its files change; a refused content leaves the last good one in force."""

    def __init__(
        self, store: CertificateStore, *, metrics: CommonMetrics, on_expiry: Callable[[datetime], None]
    ) -> None:
        """`on_expiry` hears when the served certificate ends."""
        self._store = store
        self._metrics = metrics
        self._on_expiry = on_expiry
        self._reloader = Reloader(files=store.files, load=store.load, accept=self._accept, reject=self._reject)

    async def step(self) -> None:
        """Look at the files once."""
        await self._reloader.step()

    def _accept(self, served: Served) -> None:
        self._store.swap(served)
        self._on_expiry(served.not_after)
        self._metrics.certificate(served.not_after)
        self._metrics.certificate_ok.set(1)
        facts = {logs.SERIAL: f"{served.serial:x}", logs.EXPIRES: served.not_after.isoformat()}
        _LOGGER.info("certificate served", extra=logs.fields(facts))

    def _reject(self, error: NumagateError) -> None:
        self._metrics.certificate_failures.inc()
        self._metrics.certificate_ok.set(0)
        _LOGGER.error("certificate refused: %s; the last good one stays", error)
