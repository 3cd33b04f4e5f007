"""The application of the TLS port: both passes, the probes, and the version."""

from fastapi import FastAPI
from starlette.routing import Route

from webhook import __version__
from webhook.server.admission import Admission
from webhook.server.metrics import Metrics
from webhook.server.state import State
from webhook.web.application import Lifespan
from webhook.web.application import bare_app
from webhook.web.probes import add_probes

MUTATE = "/mutate"
VALIDATE = "/validate"

_PATHS = "/mutate, /validate, /healthz, /readyz, /metrics, /certificate and /version"


def webhook_app(
    *, mutate: Admission, validate: Admission, state: State, metrics: Metrics, lifespan: Lifespan | None = None
) -> FastAPI:
    """Build the application of the TLS port; `lifespan` starts and ends its background loops."""
    app = bare_app(lifespan, paths=_PATHS)
    # Plain ASGI routes: the API server waits for them, and a review needs none of FastAPI's parsing.
    app.router.routes.append(Route(MUTATE, mutate, methods=["POST"]))
    app.router.routes.append(Route(VALIDATE, validate, methods=["POST"]))
    add_probes(app, state, metrics)

    @app.get("/version")
    async def version() -> dict[str, str]:
        loaded = state.loaded
        return {
            "version": __version__,
            "policy": ", ".join(one.name for one in loaded.policies) if loaded else "",
            "generation": ", ".join(one.generation for one in loaded.policies) if loaded else "",
        }

    return app
