"""A certificate from memory: served like one from files, and never on a disk."""

import ssl
from datetime import UTC
from datetime import datetime
from pathlib import Path

import pytest

from webhook.tls.context import CertificateStore
from webhook.tls.issue import issue_ca
from webhook.tls.issue import issue_leaf
from webhook.tls.issue import service_names
from webhook.tls.pair import CertificateError
from webhook.tls.pair import Pair
from webhook.tls.source import Memory


def leaf() -> Pair:
    now = datetime.now(UTC)
    return issue_leaf(issue_ca(now=now, days=2), service_names("numagate", "numagate-system"), now=now, days=1)


def store_of(memory: Memory) -> CertificateStore:
    return CertificateStore(memory, clock=lambda: datetime.now(UTC))


def test_a_pair_in_memory_is_served_and_replaced() -> None:
    first, second = leaf(), leaf()
    memory = Memory(first, name="Secret it")
    store = store_of(memory)
    before = store.look()

    memory.put(second.certificate_pem, second.key_pem)
    store.swap(store.load())

    assert store.look() != before
    assert store.served.serial == second.certificate.serial_number != first.certificate.serial_number
    assert isinstance(store.served.context, ssl.SSLContext)


@pytest.mark.parametrize("key", [b"", b"torn", leaf().key_pem])
def test_a_bad_pair_in_memory_never_replaces_a_good_one(key: bytes) -> None:
    first = leaf()
    memory = Memory(first, name="Secret it")
    store = store_of(memory)

    memory.put(leaf().certificate_pem, key)

    with pytest.raises(CertificateError, match=r"tls\.key of Secret it"):
        store.load()
    assert store.served.serial == first.certificate.serial_number


def test_what_is_lent_to_openssl_has_no_name_and_is_gone_afterwards() -> None:
    pair = leaf()
    with Memory(pair, name="Secret it").opened() as opened:
        target = opened.key_path.readlink()
        content = opened.key_path.read_bytes()

    assert content == pair.key_pem
    assert str(target).startswith("/memfd:")
    assert not Path(target).exists()
    assert not opened.key_path.exists()
