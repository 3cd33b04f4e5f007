"""The application of the controller's TLS port: the namespace webhook, the probes, and the version."""

from collections.abc import Mapping

from fastapi import FastAPI
from starlette.routing import Route
from starlette.types import ASGIApp

from webhook import __version__
from webhook.controller.metrics import Metrics
from webhook.controller.state import State
from webhook.web.application import Lifespan
from webhook.web.application import bare_app
from webhook.web.probes import add_probes


def controller_app(
    *, endpoints: Mapping[str, ASGIApp], state: State, metrics: Metrics, lifespan: Lifespan | None = None
) -> FastAPI:
    """Build the application; `endpoints` are webhooks by path."""
    app = bare_app(lifespan, paths=", ".join([*endpoints, "/healthz, /readyz, /metrics, /certificate and /version"]))
    for path, endpoint in endpoints.items():
        app.router.routes.append(Route(path, endpoint, methods=["POST"]))
    add_probes(app, state, metrics)

    @app.get("/version")
    async def version() -> dict[str, str]:
        return {"version": __version__}

    return app
