"""The controller's TLS port, and how it says that it is well."""

import asyncio

import httpx
from starlette.types import Receive
from starlette.types import Scope
from starlette.types import Send

from webhook import __version__
from webhook.controller.app import controller_app
from webhook.controller.metrics import Metrics
from webhook.controller.state import State


class Reviewing:
    """A webhook that has nothing to say."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer."""
        del scope, receive
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"reviewed"})


def ask(method: str, path: str, *, missing: tuple[str, ...] = (), leading: bool = False) -> httpx.Response:
    """Ask a controller."""
    state = State(missing=lambda: list(missing), leading=lambda: leading)
    app = controller_app(endpoints={"/namespaces": Reviewing()}, state=state, metrics=Metrics("0"))

    async def send() -> httpx.Response:
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="https://numagate") as client:
            return await client.request(method, path)

    return asyncio.run(send())


def test_an_endpoint_is_served_at_its_path() -> None:
    assert ask("POST", "/namespaces").text == "reviewed"
    assert ask("GET", "/namespaces").status_code == 405
    assert "numagate serves /namespaces, /healthz" in ask("POST", "/other").json()["message"]


def test_a_controller_is_ready_once_everything_was_read_whether_it_leads_or_not() -> None:
    assert ask("GET", "/readyz?verbose", leading=True).text.splitlines()[:2] == ["[+]watches ok", "[+]leader ok: leads"]
    assert "[+]leader ok: another replica leads" in ask("GET", "/readyz?verbose").text
    assert ask("GET", "/readyz", missing=("Node", "Namespace")).status_code == 503
    assert "not read yet: Node, Namespace" in ask("GET", "/readyz", missing=("Node", "Namespace")).text


def test_it_tells_its_version_and_metrics() -> None:
    assert ask("GET", "/version").json() == {"version": __version__}
    assert "numagate_world_writes_total 0.0" in ask("GET", "/metrics").text
