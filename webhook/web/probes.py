"""The application of the plain port: /healthz, /readyz and /metrics, and where there is one /certificate."""

import time
from collections.abc import Iterable
from datetime import UTC
from datetime import datetime
from typing import NamedTuple
from typing import Protocol

from fastapi import FastAPI
from fastapi import Request as HttpRequest
from fastapi import Response

from webhook.web.application import bare_app
from webhook.web.process_metrics import CONTENT_TYPE
from webhook.web.process_metrics import ProcessMetrics


class Check(NamedTuple):
    """One line of /readyz?verbose; `detail` says what is wrong, `note` what is worth knowing while all is well."""

    name: str
    ok: bool
    detail: str
    note: str = ""

    @property
    def line(self) -> str:
        """The line as it is shown.

        >>> Check("world", ok=True, detail="", note="3 s old").line
        '[+]world ok: 3 s old'
        """
        if self.ok:
            return f"[+]{self.name} ok: {self.note}" if self.note else f"[+]{self.name} ok"
        return f"[-]{self.name} failed: {self.detail}"


class Probed(Protocol):
    """A process that can be asked how it is."""

    def readiness(self, now: datetime) -> Iterable[Check]:
        """Answer what it needs in order to be sent requests."""

    def alive(self, monotonic: float) -> bool:
        """Tell whether its loop still turns."""


class Certified(Probed, Protocol):
    """One with a TLS port."""

    @property
    def certificate(self) -> bytes:
        """The certificates that its TLS port shows, as PEM."""


def is_ready(state: Probed) -> bool:
    """Tell whether a process wants to be sent requests."""
    return all(check.ok for check in state.readiness(datetime.now(UTC)))


def probe_app(*, state: Certified, metrics: ProcessMetrics) -> FastAPI:
    """Build the application of the plain port: nothing but probes and metrics."""
    app = bare_app()
    add_probes(app, state, metrics)
    return app


def plain_app(*, state: Probed, metrics: ProcessMetrics) -> FastAPI:
    """Build that of a process without a TLS port."""
    app = bare_app(paths="/healthz, /readyz and /metrics")
    _add_health(app, state, metrics)
    return app


def add_probes(app: FastAPI, state: Certified, metrics: ProcessMetrics) -> None:
    """Let `app` answer probes, and show metrics and what every TLS client gets to see, too: the certificate."""
    _add_health(app, state, metrics)

    @app.get("/certificate")
    async def certificate() -> Response:
        return Response(state.certificate, media_type="application/x-pem-file")


def _add_health(app: FastAPI, state: Probed, metrics: ProcessMetrics) -> None:
    @app.get("/healthz")
    async def healthz() -> Response:
        alive = state.alive(time.monotonic())
        return Response("ok" if alive else "the event loop is stuck", 200 if alive else 503, media_type="text/plain")

    @app.get("/readyz")
    async def readyz(request: HttpRequest) -> Response:
        checks = tuple(state.readiness(datetime.now(UTC)))
        ready = all(check.ok for check in checks)
        lines = [check.line for check in checks] if not ready or "verbose" in request.query_params else []
        lines.append("ok" if ready else "not ready")
        return Response("\n".join(lines), 200 if ready else 503, media_type="text/plain")

    @app.get("/metrics")
    async def render() -> Response:
        return Response(metrics.render(), headers={"content-type": CONTENT_TYPE})
