"""What a Secret holds, whatever somebody wrote into it, and what can be saved."""

from dataclasses import replace
from datetime import UTC
from datetime import datetime
from datetime import timedelta

import pytest

from webhook.tls.authority import authority
from webhook.tls.authority import read_authorities
from webhook.tls.holdings import Holdings
from webhook.tls.holdings import read
from webhook.tls.holdings import salvage
from webhook.tls.issue import issue_ca
from webhook.tls.issue import issue_leaf
from webhook.tls.issue import service_names

NOW = datetime(2026, 12, 1, tzinfo=UTC)
NAMES = service_names("numagate", "numagate-system")
OLD, NEW = (authority(issue_ca(now=NOW + timedelta(minutes=at), days=365)) for at in (0, 1))
LATER = NOW + timedelta(minutes=5)


def leaf_of(ca: Holdings) -> Holdings:
    pair = ca.authorities[-1].pair
    assert pair is not None
    return replace(ca, leaf=issue_leaf(pair, NAMES, now=NOW, days=30))


GOOD = leaf_of(Holdings((OLD,)))
OTHER = leaf_of(Holdings((NEW,)))
BOTH = Holdings((OLD, NEW), GOOD.leaf)
BY_HAND = {key: GOOD.data[key] for key in ("tls.crt", "tls.key")}
"""What `numagate certs issue` writes: a leaf without its CA."""


@pytest.mark.parametrize("holdings", [GOOD, OTHER, BOTH])
def test_what_was_written_is_read_again_without_a_fault(holdings: Holdings) -> None:
    reading = read(holdings.data)

    assert (reading.holdings, reading.faults) == (holdings, ())
    assert all(one.key for one in reading.holdings.authorities)


@pytest.mark.parametrize(
    ("change", "faults"),
    [
        ({"tls.key": b"torn"}, ("tls.key holds no PEM private key: is the file whole?",)),
        ({"tls.crt": GOOD.data["tls.crt"][:99]}, ("tls.crt holds no PEM certificate: is the file whole?",)),
        (
            {"tls.key": OTHER.data["tls.key"]},
            ("tls.key is not the key of tls.crt: put the pair that was issued together",),
        ),
        ({"ca.crt": b""}, ("ca.crt holds no CA",)),
        ({"ca.crt": OLD.pem + b"and more"}, ("ca.crt holds something else, too",)),
        ({"ca.crt": GOOD.data["tls.crt"]}, ("ca.crt holds no CA",)),
        ({"ca.key": b""}, ("ca.key holds no key of a CA in ca.crt",)),
        ({"ca.key": OTHER.data["ca.key"]}, ("ca.key holds no key of a CA in ca.crt",)),
        ({"ca.key": OLD.key_pem + NEW.key_pem}, ("ca.key holds something else, too",)),
        ({"ca.crt": NEW.pem, "ca.key": NEW.key_pem}, ("tls.crt is of no CA in ca.crt",)),
    ],
)
def test_each_fault_is_named_and_nothing_raises(change: dict[str, bytes], faults: tuple[str, ...]) -> None:
    assert read({**GOOD.data, **change}).faults == faults


@pytest.mark.parametrize("key", ["tls.crt", "tls.key", "ca.crt", "ca.key"])
@pytest.mark.parametrize("value", [b"", b"garbage", OTHER.data["tls.key"]])
def test_memory_brings_back_what_somebody_broke(key: str, value: bytes) -> None:
    reading = read({**GOOD.data, key: value})

    assert salvage(reading, kept=GOOD, published=[], now=LATER).data == GOOD.data


def test_without_memory_a_bundle_comes_back_from_what_clients_trust() -> None:
    reading = read({**GOOD.data, "ca.crt": b"garbage"})

    assert salvage(reading, kept=None, published=read_authorities(OLD.pem), now=LATER) == GOOD


def test_a_leaf_made_by_hand_is_adopted_with_the_ca_that_clients_trust() -> None:
    saved = salvage(read(BY_HAND), kept=None, published=read_authorities(OLD.pem), now=LATER)

    assert (saved.leaf, saved.bundle) == (GOOD.leaf, OLD.pem)


def test_a_leaf_that_nobody_trusts_is_none() -> None:
    assert salvage(read(BY_HAND), kept=None, published=[], now=LATER) == Holdings()


def test_whatever_clients_trust_stays_trusted_where_the_secret_is_gone() -> None:
    ended = authority(issue_ca(now=NOW - timedelta(days=10), days=1))

    assert salvage(read({}), kept=None, published=[OLD, ended], now=LATER).bundle == OLD.pem


def test_whole_content_takes_nothing_from_what_clients_trust() -> None:
    assert salvage(read(GOOD.data), kept=None, published=[NEW], now=LATER) == GOOD


def test_the_ca_of_the_leaf_that_was_served_before_stays_trusted_however_it_was_replaced() -> None:
    saved = salvage(read(OTHER.data), kept=GOOD, published=[], now=LATER)

    assert (saved.leaf, saved.bundle) == (OTHER.leaf, OLD.pem + NEW.pem)
    assert all(one.key for one in saved.authorities)
