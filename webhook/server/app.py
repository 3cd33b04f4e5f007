"""The two applications: the webhook's, behind TLS, and the probes', on a plain port."""

import time
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from datetime import UTC
from datetime import datetime

from fastapi import FastAPI
from fastapi import Request as HttpRequest
from fastapi import Response
from starlette.exceptions import HTTPException
from starlette.routing import Route

from webhook import __version__
from webhook.server import status
from webhook.server.admission import Admission
from webhook.server.metrics import CONTENT_TYPE
from webhook.server.metrics import Metrics
from webhook.server.state import State

Lifespan = Callable[[FastAPI], AbstractAsyncContextManager[None]]

MUTATE = "/mutate"
VALIDATE = "/validate"

_MESSAGES = {
    404: "no such path: numagate serves /mutate, /validate, /healthz, /readyz, /metrics and /version",
    405: "this path does not take this method",
}


def webhook_app(
    *, mutate: Admission, validate: Admission, state: State, metrics: Metrics, lifespan: Lifespan | None = None
) -> FastAPI:
    """Build the application of the TLS port; `lifespan` starts and ends its background loops."""
    app = _bare_app(lifespan)
    # Plain ASGI routes: the API server waits for them, and a review needs none of FastAPI's parsing.
    app.router.routes.append(Route(MUTATE, mutate, methods=["POST"]))
    app.router.routes.append(Route(VALIDATE, validate, methods=["POST"]))
    _add_probes(app, state, metrics)

    @app.get("/version")
    async def version() -> dict[str, str]:
        loaded = state.loaded
        return {
            "version": __version__,
            "policy": ", ".join(one.name for one in loaded.policies) if loaded else "",
            "generation": ", ".join(one.generation for one in loaded.policies) if loaded else "",
        }

    return app


def probe_app(*, state: State, metrics: Metrics) -> FastAPI:
    """Build the application of the plain port: nothing but probes and metrics."""
    app = _bare_app(None)
    _add_probes(app, state, metrics)
    return app


def _bare_app(lifespan: Lifespan | None) -> FastAPI:
    app = FastAPI(
        docs_url=None,
        redoc_url=None,
        openapi_url=None,
        redirect_slashes=False,  # the API server follows redirects, wherever they lead
        lifespan=lifespan,
    )
    app.add_exception_handler(HTTPException, _http_error)
    app.add_exception_handler(Exception, _bug)
    return app


async def _http_error(_request: HttpRequest, error: Exception) -> Response:
    code = error.status_code if isinstance(error, HTTPException) else 500
    headers = dict(error.headers or {}) if isinstance(error, HTTPException) else {}
    content = status.body(code, _MESSAGES.get(code, "numagate does not answer this request"))
    return Response(content, code, headers=headers, media_type="application/json")


async def _bug(_request: HttpRequest, _error: Exception) -> Response:
    return Response(status.body(500, "numagate failed on this request"), 500, media_type="application/json")


def _add_probes(app: FastAPI, state: State, metrics: Metrics) -> None:
    @app.get("/healthz")
    async def healthz() -> Response:
        alive = state.alive(time.monotonic())
        return Response("ok" if alive else "the event loop is stuck", 200 if alive else 503, media_type="text/plain")

    @app.get("/readyz")
    async def readyz(request: HttpRequest) -> Response:
        checks = tuple(state.readiness(datetime.now(UTC)))
        ready = all(check.ok for check in checks)
        lines = [f"[+]{check.name} ok" if check.ok else f"[-]{check.name} failed: {check.detail}" for check in checks]
        if ready and "verbose" not in request.query_params:
            lines = []
        lines.append("ok" if ready else "not ready")
        return Response("\n".join(lines), 200 if ready else 503, media_type="text/plain")

    @app.get("/metrics")
    async def render() -> Response:
        return Response(metrics.render(), headers={"content-type": CONTENT_TYPE})
