"""The application of the TLS port: both passes, the probes, and the version."""

from starlette.routing import Route
from starlette.types import ASGIApp

from webhook import __version__
from webhook.server.admission import Admission
from webhook.server.metrics import Metrics
from webhook.server.state import State
from webhook.web.application import Lifespan
from webhook.web.application import bare_app
from webhook.web.front import Front
from webhook.web.probes import add_probes

MUTATE = "/mutate"
VALIDATE = "/validate"

_PATHS = "/mutate, /validate, /healthz, /readyz, /metrics, /certificate and /version"


def webhook_app(
    *, mutate: Admission, validate: Admission, state: State, metrics: Metrics, lifespan: Lifespan | None = None
) -> ASGIApp:
    """Build the application of the TLS port; `lifespan` starts and ends its background loops."""
    app = bare_app(lifespan, paths=_PATHS)
    passes: dict[str, ASGIApp] = {MUTATE: mutate.endpoint(), VALIDATE: validate.endpoint()}
    for path, endpoint in passes.items():
        # Reached by other methods only, which the framework refuses.
        app.router.routes.append(Route(path, endpoint, methods=["POST"]))
    add_probes(app, state, metrics)

    @app.get("/version")
    async def version() -> dict[str, str]:
        loaded = state.loaded
        return {
            "version": __version__,
            "policy": ", ".join(one.name for one in loaded.policies) if loaded else "",
            "generation": ", ".join(one.generation for one in loaded.policies) if loaded else "",
        }

    return Front(passes, app)
