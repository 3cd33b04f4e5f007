"""The decision: what is to be done for each content of the Secret, and what it holds then."""

from dataclasses import replace
from datetime import UTC
from datetime import datetime
from datetime import timedelta

import pytest

from webhook.tls.authority import authority
from webhook.tls.holdings import Holdings
from webhook.tls.issue import issue_ca
from webhook.tls.issue import issue_leaf
from webhook.tls.issue import service_names
from webhook.tls.pair import CertificateError
from webhook.tls.rotation import Phase
from webhook.tls.rotation import Rhythm
from webhook.tls.rotation import Step
from webhook.tls.rotation import View
from webhook.tls.rotation import decide
from webhook.tls.rotation import phase_of
from webhook.tls.rotation import take

NOW = datetime(2026, 12, 1, tzinfo=UTC)
NAMES = service_names("numagate", "numagate-system")
RHYTHM = Rhythm()
DAY, MINUTE = timedelta(days=1), timedelta(minutes=1)
CA = issue_ca(now=NOW, days=365)
NEXT = issue_ca(now=NOW + 244 * DAY, days=365)
FOREIGN = replace(authority(issue_ca(now=NOW, days=3650)), key=None, key_pem=b"")
LEAF = issue_leaf(CA, NAMES, now=NOW, days=30)
LATE = NOW + 244 * DAY
LATE_LEAF = issue_leaf(CA, NAMES, now=LATE - DAY, days=30)
NEXT_LEAF = issue_leaf(NEXT, NAMES, now=LATE, days=30)

STEADY = Holdings((authority(CA),), LEAF)
DUE = Holdings((authority(CA),), LATE_LEAF)
ANNOUNCED = Holdings((authority(CA), authority(NEXT)), LATE_LEAF)
OVERLAPPING = Holdings((authority(CA), authority(NEXT)), NEXT_LEAF)
SEEN = View(trusted=timedelta(0), served=timedelta(0))
UNSEEN = View(trusted=None, served=timedelta(0))


def long(minutes: float) -> View:
    return View(trusted=minutes * MINUTE, served=minutes * MINUTE)


@pytest.mark.parametrize(
    ("holdings", "now", "view", "step"),
    [
        pytest.param(Holdings(), NOW, SEEN, Step.ANNOUNCE, id="nothing is there"),
        pytest.param(replace(STEADY, leaf=None), NOW, UNSEEN, None, id="a first CA that nobody trusts yet"),
        pytest.param(replace(STEADY, leaf=None), NOW, SEEN, Step.SWITCH, id="a first CA that is trusted"),
        pytest.param(STEADY, NOW, SEEN, None, id="all is new"),
        pytest.param(STEADY, NOW + 20 * DAY - MINUTE, SEEN, None, id="a minute before two thirds of the leaf"),
        pytest.param(STEADY, NOW + 20 * DAY, SEEN, Step.RENEW, id="two thirds of the leaf"),
        pytest.param(STEADY, NOW + 40 * DAY, UNSEEN, Step.RENEW, id="the leaf ended"),
        pytest.param(STEADY, NOW - MINUTE, SEEN, None, id="a clock a little behind"),
        pytest.param(STEADY, NOW - DAY, SEEN, Step.ANNOUNCE, id="the clock went back behind the CA"),
        pytest.param(DUE, LATE - 17 * 60 * MINUTE, SEEN, None, id="before two thirds of the CA"),
        pytest.param(DUE, LATE, long(10_000), Step.ANNOUNCE, id="two thirds of the CA"),
        pytest.param(DUE, NOW + 400 * DAY, SEEN, Step.ANNOUNCE, id="the CA ended"),
        pytest.param(ANNOUNCED, LATE, UNSEEN, None, id="the next CA is not published"),
        pytest.param(ANNOUNCED, LATE, long(4.9), None, id="the next CA is published for a short time"),
        pytest.param(ANNOUNCED, LATE, long(5), Step.SWITCH, id="the next CA is settled"),
        pytest.param(ANNOUNCED, LATE + 20 * DAY, UNSEEN, Step.RENEW, id="the leaf is due meanwhile"),
        pytest.param(ANNOUNCED, LATE + 40 * DAY, SEEN, Step.RENEW, id="the leaf ended meanwhile"),
        pytest.param(ANNOUNCED, NOW + 366 * DAY, SEEN, Step.SWITCH, id="leaf and old CA ended meanwhile"),
        pytest.param(replace(ANNOUNCED, leaf=None), LATE, SEEN, None, id="the leaf is lost, and may be served"),
        pytest.param(replace(ANNOUNCED, leaf=None), LATE, long(5), Step.SWITCH, id="the leaf is lost for long"),
        pytest.param(
            replace(ANNOUNCED, leaf=None),
            LATE,
            View(trusted=None, served=timedelta(0), reachable=False),
            Step.SWITCH,
            id="the leaf is lost, and another writes the bundles",
        ),
        pytest.param(OVERLAPPING, LATE, long(14.9), None, id="the new leaf is served for a short time"),
        pytest.param(OVERLAPPING, LATE, long(15), Step.DROP, id="the new leaf is served for long"),
        pytest.param(Holdings((FOREIGN,), LEAF), NOW, SEEN, Step.ANNOUNCE, id="no CA that can sign"),
        pytest.param(
            Holdings((authority(CA),), issue_leaf(CA, service_names("numagate", "old"), now=NOW, days=30)),
            NOW,
            SEEN,
            Step.RENEW,
            id="a leaf for other names",
        ),
        pytest.param(
            Holdings((authority(CA),), issue_leaf(CA, NAMES, now=NOW - DAY, days=300)),
            NOW,
            SEEN,
            None,
            id="a leaf that somebody made to live longer",
        ),
    ],
)
def test_the_next_step_follows_from_the_content(
    holdings: Holdings, now: datetime, view: View, step: Step | None
) -> None:
    decision = decide(holdings, now, view=view, rhythm=RHYTHM, names=NAMES)

    assert decision.step is step
    assert bool(decision.reason) or step is None


def test_where_nothing_is_to_be_done_it_says_until_when() -> None:
    decision = decide(STEADY, NOW, view=SEEN, rhythm=RHYTHM, names=NAMES)

    assert decision.until == LEAF.certificate.not_valid_after_utc - 10 * DAY


@pytest.mark.parametrize(
    ("before", "step", "authorities", "issuer"),
    [
        (Holdings(), Step.ANNOUNCE, 1, None),
        (DUE, Step.ANNOUNCE, 2, 0),
        (ANNOUNCED, Step.RENEW, 2, 0),
        (ANNOUNCED, Step.SWITCH, 2, 1),
        (OVERLAPPING, Step.RENEW, 2, 1),
        (OVERLAPPING, Step.DROP, 1, 0),
        (ANNOUNCED, Step.MEND, 2, 0),
    ],
)
def test_a_step_changes_one_thing(before: Holdings, step: Step, authorities: int, issuer: int | None) -> None:
    after = take(step, before, LATE, rhythm=RHYTHM, names=NAMES)

    assert len(after.authorities) == authorities
    assert after.issuer == (None if issuer is None else after.authorities[issuer])
    changed = [before.leaf != after.leaf, before.authorities != after.authorities]
    assert changed.count(True) == (step is not Step.MEND)


def test_what_is_issued_lives_as_long_as_the_rhythm_says_and_serves_only() -> None:
    made = take(Step.ANNOUNCE, Holdings(), NOW, rhythm=RHYTHM, names=NAMES)
    leaf = take(Step.SWITCH, made, NOW, rhythm=RHYTHM, names=NAMES).leaf

    assert leaf is not None
    assert made.authorities[0].certificate.not_valid_after_utc == NOW + 365 * DAY
    assert leaf.certificate.not_valid_after_utc == NOW + 30 * DAY
    assert leaf.names == set(NAMES.dns)


def test_without_a_ca_that_can_sign_no_leaf_is_issued() -> None:
    with pytest.raises(CertificateError, match="no CA can sign"):
        take(Step.RENEW, Holdings((FOREIGN,), LEAF), NOW, rhythm=RHYTHM, names=NAMES)


@pytest.mark.parametrize(
    ("holdings", "phase"),
    [
        (Holdings(), Phase.ANNOUNCED),
        (STEADY, Phase.STEADY),
        (ANNOUNCED, Phase.ANNOUNCED),
        (OVERLAPPING, Phase.OVERLAPPING),
    ],
)
def test_the_phase_is_told(holdings: Holdings, phase: Phase) -> None:
    assert phase_of(holdings, LATE) is phase
