"""The names of clients: who may call, what the others are told, and what is counted and logged."""

import asyncio
import json
import logging
import time

import pytest
from prometheus_client import CollectorRegistry
from starlette.types import Message
from starlette.types import Receive
from starlette.types import Scope
from starlette.types import Send

from webhook.tls.refusal import Refusal
from webhook.web.client_gate import ClientGate
from webhook.web.client_metrics import ClientMetrics

END = "Jan  1 00:00:00 2031 GMT"


def peer(*common_names: str, dns: tuple[str, ...] = (), address: str = "10.0.0.1") -> dict[str, object]:
    """Answer a certificate as the ssl module describes it."""
    subject = ((("organizationName", "kube-apiserver-group"),), *((("commonName", name),) for name in common_names))
    alternatives = (*(("DNS", name) for name in dns), ("IP Address", address))
    return {"subject": subject, "subjectAltName": alternatives, "notAfter": END}


def status_of(gate: ClientGate, certificate: object, kind: str = "http") -> tuple[int | None, bytes]:
    """Send one request through the gate: the status and body, None where it reached the application."""
    sent: list[Message] = []

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        del scope, receive, send

    async def receive() -> Message:
        raise AssertionError

    async def send(message: Message) -> None:
        sent.append(message)

    state = {} if certificate is None else {"peer": certificate}
    asyncio.run(gate.guard(app)({"type": kind, "state": state}, receive, send))
    return (sent[0]["status"], sent[1]["body"]) if sent else (None, b"")


@pytest.fixture
def registry() -> CollectorRegistry:
    return CollectorRegistry()


@pytest.fixture
def gate(registry: CollectorRegistry) -> ClientGate:
    return ClientGate(("kube-apiserver", "api.example"), ClientMetrics(registry))


@pytest.mark.parametrize(
    "certificate",
    [peer("kube-apiserver"), peer("other", "kube-apiserver"), peer(dns=("x.example", "api.example"))],
    ids=["common name", "one of two", "DNS name"],
)
def test_a_client_of_a_given_name_may_call(
    gate: ClientGate, registry: CollectorRegistry, certificate: dict[str, object]
) -> None:
    assert status_of(gate, certificate)[0] is None
    end = time.mktime(time.strptime(END, "%b %d %H:%M:%S %Y GMT")) - time.timezone
    assert registry.get_sample_value("numagate_client_certificate_expiry_timestamp_seconds") == end


@pytest.mark.parametrize(
    "certificate",
    [
        peer(),
        peer("kube-apiserver-kubelet-client"),
        peer("KUBE-APISERVER"),
        peer("kube-apiserver-group"),
        peer(dns=("a.api.example", "*.example")),
        peer(address="api.example"),
        {},
        None,
    ],
    ids=["none", "longer", "case", "organization", "wildcard", "address", "not verified", "no TLS"],
)
def test_any_other_is_told_why_it_may_not(
    gate: ClientGate, registry: CollectorRegistry, certificate: dict[str, object] | None
) -> None:
    code, body = status_of(gate, certificate)

    assert code == 403
    assert json.loads(body)["reason"] == "Forbidden"
    assert "name it with --client-name" in json.loads(body)["message"]
    assert registry.get_sample_value("numagate_clients_refused_total", {"reason": "name"}) == 1


def test_the_start_and_end_of_the_application_pass(gate: ClientGate) -> None:
    assert status_of(gate, None, kind="lifespan")[0] is None


def test_each_reason_is_counted_always_and_logged_once(
    gate: ClientGate, registry: CollectorRegistry, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING, "numagate.clients"):
        for reason in [*Refusal, *Refusal]:
            gate.refuse(reason)
        assert len(caplog.records) == len(Refusal)
        gate.again()
        gate.refuse(Refusal.EXPIRED)

    assert len(caplog.records) == len(Refusal) + 1
    for reason in Refusal:
        count = registry.get_sample_value("numagate_clients_refused_total", {"reason": reason.value})
        assert count == (3 if reason is Refusal.EXPIRED else 2)


def test_a_log_line_holds_nothing_of_the_certificate(gate: ClientGate, caplog: pytest.LogCaptureFixture) -> None:
    status_of(gate, peer("somebody-else"))

    assert "somebody-else" not in caplog.text
