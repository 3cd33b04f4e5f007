"""What a controller that issues has before, and after, there is a certificate."""

import base64
import ipaddress
from dataclasses import replace
from datetime import UTC
from datetime import datetime
from typing import Any

import pytest
from kubernetes.client.configuration import Configuration

from webhook.controller.issuing import Issuing
from webhook.controller.issuing import names_of
from webhook.controller.metrics import Metrics
from webhook.controller.settings import Settings
from webhook.controller.state import State
from webhook.domain import api
from webhook.kube.client import Client
from webhook.tls.context import CertificateStore
from webhook.tls.issue import issue_ca
from webhook.tls.issue import issue_leaf
from webhook.tls.pair import CertificateError
from webhook.tls.pair import Pair


def now() -> datetime:
    return datetime.now(UTC)


@pytest.fixture
def issuing() -> Issuing:
    """Answer the certificates of a controller that has not spoken to anybody yet."""
    settings = Settings(identity="one", secret=api.TLS_SECRET, names=("127.0.0.1", "numagate.example"))
    return Issuing(settings, Client(Configuration(host="https://127.0.0.1:1")), metrics=Metrics("0"), wall=now)


def leaf() -> Pair:
    names = names_of(Settings(identity="one"))
    return issue_leaf(issue_ca(now=now(), days=2), names, now=now(), days=1)


def secret(pair: Pair) -> dict[str, Any]:
    content = {"tls.crt": pair.certificate_pem, "tls.key": pair.key_pem}
    return {"data": {key: base64.b64encode(value).decode() for key, value in content.items()}}


def test_the_certificate_is_for_both_services_and_what_was_asked_for() -> None:
    names = names_of(Settings(identity="one", namespace="ours", names=("::1", "numagate.example")))

    assert names.dns == (
        "numagate",
        "numagate.ours",
        "numagate.ours.svc",
        "numagate-controller.ours.svc",
        "numagate.example",
    )
    assert names.addresses == (ipaddress.ip_address("::1"),)


def test_a_name_that_is_none_is_refused() -> None:
    with pytest.raises(CertificateError, match="'no name' is no DNS name"):
        names_of(Settings(identity="one", names=("no name",)))


def test_before_there_is_a_certificate_the_replica_is_not_ready_and_serves_a_provisional_one(issuing: Issuing) -> None:
    served = CertificateStore(issuing.source, clock=now).served
    state = State(
        missing=list,
        leading=bool,
        issued=lambda: not issuing.is_provisional(served.serial),
        certificates=lambda: issuing.note,
    )

    (check,) = [check for check in state.readiness(now()) if not check.ok]

    assert check.line == "[-]certificates failed: no certificate has been issued yet"
    assert served.names >= {"127.0.0.1", "numagate.example"}


def test_a_secret_that_cannot_be_served_does_not_make_the_replica_ready(issuing: Issuing) -> None:
    store, one, other = CertificateStore(issuing.source, clock=now), leaf(), leaf()
    issuing.receive(secret(replace(one, key_pem=other.key_pem)))

    with pytest.raises(CertificateError, match="is not the key of"):
        store.load()
    assert issuing.is_provisional(store.served.serial)


@pytest.mark.parametrize("data", [None, {}, {"ca.crt": "bm8="}, {"tls.crt": "bm8=", "tls.key": ""}])
def test_a_secret_that_is_gone_or_not_filled_yet_takes_nothing_away(issuing: Issuing, data: Any) -> None:
    before = issuing.source.look()
    issuing.receive(None if data is None else {"data": data})

    assert issuing.source.look() == before


def test_a_filled_secret_is_served(issuing: Issuing) -> None:
    store, pair = CertificateStore(issuing.source, clock=now), leaf()
    issuing.receive(secret(pair))
    store.swap(store.load())

    assert store.served.serial == pair.certificate.serial_number
    assert not issuing.is_provisional(store.served.serial)
    assert issuing.note == "looked after by another replica"
