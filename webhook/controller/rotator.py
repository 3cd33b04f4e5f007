"""Takes the steps of the certificates, while this replica leads, one write at a time.

What a step follows from is read each time: the Secret, and both webhook configurations, which the keeper hands over.
Waiting is measured from what this process has seen itself.
"""

import logging
import time
from collections.abc import Callable
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC
from datetime import datetime
from datetime import timedelta
from typing import Protocol

from webhook.controller import trust
from webhook.controller.secret import Stored
from webhook.domain.errors import NumagateError
from webhook.domain.raw import JsonObject
from webhook.kube.error import CONFLICT
from webhook.kube.error import KubeError
from webhook.kube.once import Once
from webhook.tls.authority import Authority
from webhook.tls.authority import read_authorities
from webhook.tls.holdings import Holdings
from webhook.tls.holdings import read
from webhook.tls.holdings import salvage
from webhook.tls.issue import Names
from webhook.tls.rotation import Decision
from webhook.tls.rotation import Phase
from webhook.tls.rotation import Rhythm
from webhook.tls.rotation import Step
from webhook.tls.rotation import View
from webhook.tls.rotation import decide
from webhook.tls.rotation import decide_blind
from webhook.tls.rotation import phase_of
from webhook.tls.rotation import signer_of
from webhook.tls.rotation import take

_LOGGER = logging.getLogger("numagate.certificates")

Installed = Mapping[str, JsonObject | None]
"""Both webhook configurations by word, None where one is not installed."""


class Secret(Protocol):
    """Where the certificates are kept."""

    def read(self) -> Stored:
        """Answer what is there."""

    def write(self, before: Stored, data: Mapping[str, bytes]) -> None:
        """Replace what was read, and nothing newer."""


class Meters(Protocol):
    """What is counted."""

    def rotated(self, step: Step) -> None:
        """Count a step."""

    def rotation_failed(self) -> None:
        """Count a step that could not be taken."""

    def rotation(self, phase: Phase | None, ca_ends: datetime | None) -> None:
        """Show how far a rotation is, and when the CA of the certificate ends."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The bundle to publish, None for nothing; `moved` says that there is more to do at once."""

    bundle: bytes | None
    moved: bool = False


class Since:
    """For how long the same has been seen, by a clock that cannot be set."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._seen: object = None
        self._at = 0.0

    def see(self, what: object) -> timedelta:
        """See it again, or for the first time; None is nothing."""
        if what is None or what != self._seen:
            self._seen, self._at = what, self._clock()
        return timedelta(seconds=self._clock() - self._at)


class Rotator:
    """Keeps the certificates; `names` is what the leaf is for. All but `receive` runs on one thread."""

    def __init__(
        self,
        secret: Secret,
        *,
        names: Names,
        meters: Meters,
        rhythm: Rhythm | None = None,
        wall: Callable[[], datetime] = lambda: datetime.now(UTC),
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._secret = secret
        self._names = names
        self._meters = meters
        self._rhythm = rhythm or Rhythm()
        self._wall = wall
        self._trusted, self._served = Since(clock), Since(clock)
        self._kept: Holdings | None = None
        self._once = Once(_LOGGER)
        self.note = ""

    def receive(self, found: Stored) -> None:
        """Remember what is good; a follower hears of every content by its watch."""
        reading = read(found.data)
        if not reading.faults:
            self._kept = reading.holdings

    def rest(self) -> None:
        """Forget what was seen: another replica leads."""
        self._trusted.see(None)
        self._served.see(None)
        self._meters.rotation(None, None)
        self.note = ""

    def step(self, installed: Installed | None) -> Outcome:
        """Take the next step, if it is time for one; what fails is told, counted, and tried again by the caller."""
        try:
            outcome = self._step(installed)
        except NumagateError as error:
            self._meters.rotation_failed()
            if isinstance(error, KubeError) and error.status == CONFLICT:
                _LOGGER.info("the Secret of the certificates was written by somebody else meanwhile: reading it again")
                return Outcome(None, moved=True)
            self._once.warn(f"the certificates cannot be looked after: {error}")
            self.note = f"the last step failed: {error}"
            return Outcome(None)
        self._once.again()
        return outcome

    def _step(self, installed: Installed | None) -> Outcome:
        found, now = self._secret.read(), self._wall()
        if found.owner:
            self.note = (
                f"left to cert-manager: the Secret is of its Certificate {found.owner}; delete both, to issue here"
            )
            self._once.warn(f"certificates: {self.note}")
            return Outcome(None)
        reading = read(found.data)
        there = [one for one in (installed or {}).values() if one is not None]
        published = [one for ours in filter(trust.is_ours, there) for one in _published(ours)]
        adopted = [] if reading.holdings.leaf is None else _signing(reading.holdings, there)
        best = salvage(reading, kept=self._kept, published=[*adopted, *published], now=now)
        if installed is None:
            decision = decide_blind(best, now, rhythm=self._rhythm, names=self._names)
        else:
            view = self._look(best, there, now)
            decision = decide(best, now, view=view, rhythm=self._rhythm, names=self._names)
        if installed is not None and _differs(best, found):
            decision = Decision(Step.MEND, "; ".join(reading.faults) or "a CA that is still in use was taken out")
        elif not reading.faults:
            self._kept = best
        self._show(best, decision, now)
        if decision.step is None:
            return Outcome(best.bundle or None)
        after = take(decision.step, best, now, rhythm=self._rhythm, names=self._names)
        self._secret.write(found, after.data)
        self._kept = after if after.leaf is not None else self._kept
        self._meters.rotated(decision.step)
        self._tell(decision, after)
        return Outcome(after.bundle, moved=True)

    def _look(self, holdings: Holdings, there: list[JsonObject], now: datetime) -> View:
        signer, issuer = signer_of(holdings, now), holdings.issuer
        told = signer is not None and all(_trusts(one, signer) for one in there)
        trusted = self._trusted.see(signer.pem if signer is not None and told else None)
        return View(
            trusted=trusted if told else None,
            served=self._served.see(None if issuer is None else issuer.pem),
            reachable=all(map(trust.is_ours, there)),
        )

    def _show(self, holdings: Holdings, decision: Decision, now: datetime) -> None:
        issuer, phase = holdings.issuer, phase_of(holdings, now)
        ends = None if issuer is None else issuer.certificate.not_valid_after_utc
        self._meters.rotation(phase, ends)
        until = "" if decision.until is None else f", next look after {decision.until:%Y-%m-%d %H:%M}Z"
        ca = "none" if ends is None else f"until {ends:%Y-%m-%d}"
        self.note = f"{phase.value}, CA {ca}{until}" + (f": {decision.reason}" if decision.reason else "")

    def _tell(self, decision: Decision, after: Holdings) -> None:
        step = decision.step.value if decision.step else ""
        leaf = "none" if after.leaf is None else f"{after.leaf.certificate.serial_number:x}"
        _LOGGER.info("certificates: %s (%s); %d CAs, leaf %s", step, decision.reason, len(after.authorities), leaf)


def _published(installed: JsonObject) -> list[Authority]:
    return [one for bundle in trust.bundles(installed) for one in read_authorities(bundle)]


def _signing(holdings: Holdings, installed: list[JsonObject]) -> list[Authority]:
    """Answer the published CAs that the leaf is of, whoever published them."""
    leaf = holdings.leaf
    found = [one for configuration in installed for one in _published(configuration)]
    return [] if leaf is None else [one for one in found if one.signed(leaf.certificate)]


def _trusts(installed: JsonObject, ca: Authority) -> bool:
    return all(ca.pem in {one.pem for one in read_authorities(bundle)} for bundle in trust.bundles(installed))


def _differs(best: Holdings, secret: Stored) -> bool:
    """Tell whether something could be saved that the Secret does not hold."""
    return bool(best.authorities) and any(secret.data.get(key) != value for key, value in best.data.items())
