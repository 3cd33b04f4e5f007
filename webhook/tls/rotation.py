"""Decides the next step of the certificates, and takes it: pure but for the keys that are made at random.

A CA is replaced in two phases, so that at no moment a certificate is served that a client does not trust:

1. The next CA is announced: old and new together become the bundle. Clients have it in their own time.
2. When all of them have trusted it for a while, the leaf is issued from it. Replicas serve it in their own time.
3. When all of them have served it for a while, the old CA is dropped from the bundle.

Every step is one write of the Secret and follows from its content alone, so that a leader who ends in the middle is
continued by the next. The waiting is measured by whoever leads, with a clock that cannot be set: a new leader waits
again from the start, and no jump of the wall clock cuts it short. When something ends is a matter of the wall clock.
"""

from dataclasses import dataclass
from dataclasses import replace
from datetime import datetime
from datetime import timedelta
from enum import Enum
from typing import Final

from cryptography import x509

from webhook.tls.authority import Authority
from webhook.tls.authority import authority
from webhook.tls.certificate import holds_at
from webhook.tls.holdings import Holdings
from webhook.tls.issue import Names
from webhook.tls.issue import issue_ca
from webhook.tls.issue import issue_leaf
from webhook.tls.pair import CertificateError
from webhook.tls.pair import Pair

SHARE_LEFT: Final = 3
"""A certificate is renewed when a third of its life is left, as cert-manager does by default."""

_DAY: Final = timedelta(days=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rhythm:
    """How long certificates live, and how long both waits are.

    `settle` is for API servers: they learn of a new bundle by a watch, within a second as a rule. `overlap` is for
    replicas: the kubelet brings them a new Secret within two minutes.
    """

    ca_life: timedelta = timedelta(days=365)
    leaf_life: timedelta = timedelta(days=30)
    settle: timedelta = timedelta(minutes=5)
    overlap: timedelta = timedelta(minutes=15)


class Step(Enum):
    """What is to be done next."""

    MEND = "mend"
    """Write what could be saved over what somebody broke."""
    ANNOUNCE = "announce"
    """Make another CA, and let it be trusted beside the others."""
    SWITCH = "switch"
    """Issue the leaf from the newest CA."""
    RENEW = "renew"
    """Issue the leaf again, from the CA that it is of."""
    DROP = "drop"
    """Trust the newest CA only."""


class Phase(Enum):
    """How far a rotation is."""

    STEADY = "steady"
    ANNOUNCED = "announced"
    OVERLAPPING = "overlapping"


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """What a leader has seen without a break.

    `trusted` is for how long every client has been told to trust the newest CA, None where one has not. `served` is for
    how long the leaf has been of its CA. `reachable` says that all clients are ours to tell.
    """

    trusted: timedelta | None
    served: timedelta
    reachable: bool = True


@dataclass(frozen=True, slots=True)
class Decision:
    """The next step and why; without one nothing is to be done until `until`, unless what is waited for happens."""

    step: Step | None
    reason: str
    until: datetime | None = None


def signer_of(holdings: Holdings, now: datetime) -> Authority | None:
    """Answer the newest CA that can sign."""
    able = [one for one in holdings.authorities if _able(one, now)]
    return able[-1] if able else None


def phase_of(holdings: Holdings, now: datetime) -> Phase:
    """Answer how far a rotation is."""
    issuer = holdings.issuer
    if issuer is None or issuer != signer_of(holdings, now):
        return Phase.ANNOUNCED
    return Phase.STEADY if len(holdings.authorities) == 1 else Phase.OVERLAPPING


def decide(holdings: Holdings, now: datetime, *, view: View, rhythm: Rhythm, names: Names) -> Decision:
    """Answer the next step for what the Secret holds at `now`."""
    signer = signer_of(holdings, now)
    if signer is None:
        return Decision(Step.ANNOUNCE, "there is no CA that can sign")
    due = _due(signer.certificate, rhythm.ca_life)
    if now >= due:
        return Decision(Step.ANNOUNCE, f"the CA ends at {signer.certificate.not_valid_after_utc:%Y-%m-%d %H:%M}Z")
    issuer = holdings.issuer
    stale = _stale(holdings.leaf, now, rhythm, names)
    if issuer != signer:
        return _decide_to_switch(holdings, stale, now, view=view, rhythm=rhythm)
    if stale:
        return Decision(Step.RENEW, stale)
    if len(holdings.authorities) > 1 and view.served >= rhythm.overlap:
        return Decision(Step.DROP, f"the certificate has been of the newest CA for {_minutes(view.served)}")
    ends = [due] if holdings.leaf is None else [due, _due(holdings.leaf.certificate, rhythm.leaf_life)]
    return Decision(None, "", min(ends))


def decide_blind(holdings: Holdings, now: datetime, *, rhythm: Rhythm, names: Names) -> Decision:
    """Answer the next step where nobody knows what clients trust: a new leaf, from the CA that the last one is of."""
    stale, issuer = _stale(holdings.leaf, now, rhythm, names), holdings.issuer
    if stale and issuer is not None and issuer.key is not None and holds_at(issuer.certificate, now):
        return Decision(Step.RENEW, stale)
    return Decision(None, "the webhook configurations cannot be read")


def take(step: Step, holdings: Holdings, now: datetime, *, rhythm: Rhythm, names: Names) -> Holdings:
    """Answer what the Secret is to hold after the step.

    Raises:
        CertificateError: no CA can sign.
    """
    if step is Step.MEND:
        return holdings
    if step is Step.ANNOUNCE:
        return replace(
            holdings, authorities=(*holdings.authorities, authority(issue_ca(now=now, days=rhythm.ca_life / _DAY)))
        )
    signer = holdings.issuer if step is Step.RENEW else signer_of(holdings, now)
    ca = None if signer is None else signer.pair
    if signer is None or ca is None:
        message = f"step {step.value}: no CA can sign"
        raise CertificateError(message)
    if step is Step.DROP:
        return replace(holdings, authorities=(signer,))
    return replace(holdings, leaf=issue_leaf(ca, names, now=now, days=rhythm.leaf_life / _DAY))


def _decide_to_switch(holdings: Holdings, stale: str, now: datetime, *, view: View, rhythm: Rhythm) -> Decision:
    """Decide where the leaf is not of the newest CA."""
    leaf, newest = holdings.leaf, signer_of(holdings, now)
    dead = leaf is None or not holds_at(leaf.certificate, now)
    # Where replicas may still serve what the Secret has lost, clients are given their time as ever.
    lost = leaf is None and any(holds_at(one.certificate, now) for one in holdings.authorities if one != newest)
    renewable = _able(holdings.issuer, now)
    settle = timedelta() if dead and not lost and not renewable else rhythm.settle
    if view.trusted is not None and view.trusted >= settle:
        return Decision(Step.SWITCH, stale or f"the next CA has been trusted for {_minutes(view.trusted)}")
    if stale and renewable:
        return Decision(Step.RENEW, stale)
    if dead and not view.reachable:
        return Decision(Step.SWITCH, f"{stale}, and not all caBundles are ours to fill in")
    return Decision(None, "the next CA is to be trusted everywhere first")


def _able(ca: Authority | None, now: datetime) -> bool:
    return ca is not None and ca.key is not None and holds_at(ca.certificate, now)


def _stale(leaf: Pair | None, now: datetime, rhythm: Rhythm, names: Names) -> str:
    """Say why the leaf is to be issued again, "" where it is good."""
    if leaf is None:
        return "there is no certificate"
    begin, end = leaf.certificate.not_valid_before_utc, leaf.certificate.not_valid_after_utc
    if now >= end:
        return f"the certificate ended at {end:%Y-%m-%d %H:%M}Z"
    if now < begin:
        return f"the certificate begins at {begin:%Y-%m-%d %H:%M}Z only"
    if now >= _due(leaf.certificate, rhythm.leaf_life):
        return f"the certificate ends at {end:%Y-%m-%d %H:%M}Z"
    missing = {*names.dns, *map(str, names.addresses)} - leaf.names
    return f"the certificate is not for {', '.join(sorted(missing))}" if missing else ""


def _due(certificate: x509.Certificate, most: timedelta) -> datetime:
    """Answer when two thirds of the life are over, or of `most`, for one that somebody made to live longer."""
    begin, end = certificate.not_valid_before_utc, certificate.not_valid_after_utc
    return end - min(end - begin, most) / SHARE_LEFT


def _minutes(span: timedelta) -> str:
    return f"{span.total_seconds() / 60:.1f} min"
