"""The shortest way to the paths that an API server waits for."""

from collections.abc import Mapping
from dataclasses import dataclass

from starlette.types import ASGIApp
from starlette.types import Receive
from starlette.types import Scope
from starlette.types import Send


@dataclass(frozen=True, slots=True)
class Front:
    """Takes a POST to one of `endpoints` there at once, and leaves everything else to `app`.

    The framework's way through middleware and routes costs a tenth of a review. The endpoints must answer every error
    themselves.
    """

    endpoints: Mapping[str, ASGIApp]
    app: ASGIApp

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or run the application's lifespan."""
        endpoint = self.endpoints.get(scope["path"]) if scope.get("method") == "POST" else None
        await (endpoint or self.app)(scope, receive, send)
