"""A FastAPI application with nothing that a webhook does not need."""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager

from fastapi import FastAPI
from fastapi import Request as HttpRequest
from fastapi import Response
from starlette.exceptions import HTTPException

from webhook.web import status

Lifespan = Callable[[FastAPI], AbstractAsyncContextManager[None]]

_NOT_ALLOWED = 405


def bare_app(
    lifespan: Lifespan | None = None, *, paths: str = "/healthz, /readyz, /metrics and /certificate"
) -> FastAPI:
    """Build an application whose errors are all a Status; `paths` names what it serves, for who asks for another."""
    app = FastAPI(
        docs_url=None,
        redoc_url=None,
        openapi_url=None,
        redirect_slashes=False,  # the API server follows redirects, wherever they lead
        lifespan=lifespan,
    )
    messages = {404: f"no such path: numagate serves {paths}", _NOT_ALLOWED: "this path does not take this method"}

    async def http_error(_request: HttpRequest, error: Exception) -> Response:
        code = error.status_code if isinstance(error, HTTPException) else 500
        headers = dict(error.headers or {}) if isinstance(error, HTTPException) else {}
        content = status.body(code, messages.get(code, "numagate does not answer this request"))
        return Response(content, code, headers=headers, media_type="application/json")

    app.add_exception_handler(HTTPException, http_error)
    app.add_exception_handler(Exception, _bug)
    return app


async def _bug(_request: HttpRequest, _error: Exception) -> Response:
    return Response(status.body(500, "numagate failed on this request"), 500, media_type="application/json")
