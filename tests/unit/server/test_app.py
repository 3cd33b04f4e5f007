"""The two applications: which path takes what, and that nothing ever redirects."""

import asyncio
from datetime import UTC
from datetime import datetime
from datetime import timedelta

import httpx
import pytest
from serving import accept
from serving import review_body
from starlette.types import ASGIApp

from webhook import __version__
from webhook.engine.request import Pass
from webhook.server.admission import Admission
from webhook.server.app import webhook_app
from webhook.server.metrics import Metrics
from webhook.server.state import State
from webhook.sources.policy_file import load_policy
from webhook.web.aside import Aside
from webhook.web.body import Meter
from webhook.web.probes import probe_app
from webhook.web.turns import Turns

METRICS = Metrics("0")


def ready_state() -> State:
    """Answer the state of a ready replica."""
    return State(own_namespace="ours", loaded=load_policy(), certificate_expiry=datetime.now(UTC) + timedelta(days=1))


def app_with(state: State) -> ASGIApp:
    """Answer the application of the TLS port."""

    def endpoint(review_pass: Pass) -> Admission:
        return Admission(
            review_pass=review_pass,
            review=accept,
            state=state,
            metrics=METRICS,
            meter=Meter(),
            turns=Turns(),
            aside=Aside(),
        )

    return webhook_app(mutate=endpoint(Pass.MUTATE), validate=endpoint(Pass.VALIDATE), state=state, metrics=METRICS)


def ask(app: ASGIApp, method: str, path: str, body: bytes = b"") -> httpx.Response:
    """Send one request without a network."""

    async def send() -> httpx.Response:
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url="https://numagate") as client:
            return await client.request(method, path, content=body, headers={"content-type": "application/json"})

    return asyncio.run(send())


APP = app_with(ready_state())
PROBES = probe_app(state=ready_state(), metrics=METRICS)


@pytest.mark.parametrize("path", ["/mutate", "/validate", "/mutate?timeout=3s"])
def test_both_passes_are_served(path: str) -> None:
    assert ask(APP, "POST", path, review_body()).json()["response"]["allowed"] is True


@pytest.mark.parametrize("port", ["tls", "plain"])
@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("/healthz", "ok"),
        ("/readyz", "ok"),
        ("/readyz?verbose", "[+]policy ok\n[+]certificate ok\n[+]handshake ok\n[+]drain ok\nok"),
    ],
)
def test_both_ports_answer_probes(port: str, path: str, text: str) -> None:
    state = ready_state()  # made now: its heartbeat goes stale, as that of a stuck loop should
    app = app_with(state) if port == "tls" else probe_app(state=state, metrics=METRICS)

    response = ask(app, "GET", path)

    assert (response.status_code, response.text) == (200, text)


@pytest.mark.parametrize("app", [APP, PROBES], ids=["tls", "plain"])
def test_both_ports_show_metrics(app: ASGIApp) -> None:
    response = ask(app, "GET", "/metrics")

    assert "numagate_build_info" in response.text
    assert response.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"


def test_the_version_names_the_policy_in_force() -> None:
    generation = load_policy().policy.generation

    assert ask(APP, "GET", "/version").json() == {
        "version": __version__,
        "policy": "default",
        "generation": generation,
    }


def test_the_version_is_told_without_a_policy() -> None:
    response = ask(app_with(State(own_namespace="ours")), "GET", "/version")

    assert response.json() == {"version": __version__, "policy": "", "generation": ""}


def test_an_unready_replica_says_why_even_if_not_asked() -> None:
    state = ready_state()
    state.draining = True

    response = ask(app_with(state), "GET", "/readyz")

    assert response.status_code == 503
    assert response.text.endswith("[-]drain failed: shutting down\nnot ready")


def test_a_stuck_loop_is_unhealthy() -> None:
    state = State(own_namespace="ours", heartbeat=-1000.0)

    assert ask(probe_app(state=state, metrics=METRICS), "GET", "/healthz").status_code == 503


@pytest.mark.parametrize(
    ("app", "method", "path", "status"),
    [
        (APP, "POST", "/mutate/", 404),
        (APP, "POST", "/", 404),
        (APP, "GET", "/docs", 404),
        (APP, "GET", "/redoc", 404),
        (APP, "GET", "/openapi.json", 404),
        (APP, "GET", "/Mutate", 404),
        (APP, "GET", "/mutate", 405),
        (APP, "HEAD", "/mutate", 405),
        (APP, "PUT", "/validate", 405),
        (APP, "POST", "/healthz", 405),
        (APP, "OPTIONS", "/mutate", 405),
        (PROBES, "POST", "/mutate", 404),
        (PROBES, "GET", "/version", 404),
        (PROBES, "GET", "/healthz/", 404),
    ],
)
def test_another_path_or_method_gets_a_status(app: ASGIApp, method: str, path: str, status: int) -> None:
    response = ask(app, method, path)

    assert response.status_code == status
    assert "location" not in response.headers
    if method != "HEAD":
        reply = response.json()
        assert (reply["kind"], reply["code"]) == ("Status", status)


def test_a_bug_is_a_status_too() -> None:
    state = ready_state()
    state.certificate_expiry = "never"  # type: ignore[assignment]  # a bug
    app = probe_app(state=state, metrics=METRICS)

    async def send() -> httpx.Response:
        transport = httpx.ASGITransport(app, raise_app_exceptions=False)
        async with httpx.AsyncClient(transport=transport, base_url="http://numagate") as client:
            return await client.get("/readyz")

    response = asyncio.run(send())
    assert (response.status_code, response.json()["reason"]) == (500, "InternalError")
