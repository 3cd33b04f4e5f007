"""Keeps our webhook configurations in step with the policies in force and with the certificates, while we lead.

They are written for policies: which resources are accelerators, which namespaces are exempt, by which labels policies
select. Where they fall behind, pods that a policy is for never reach numagate. And where the controller issues the
certificates, they tell the API server whom to trust.
"""

import json
import logging
import threading
import time
from collections.abc import Callable
from collections.abc import Sequence
from typing import Final
from typing import Protocol

from webhook.controller import trust
from webhook.controller.budget import Budget
from webhook.controller.drift import Drift
from webhook.controller.drift import Patch
from webhook.controller.drift import compare
from webhook.controller.rotator import Installed
from webhook.controller.rotator import Outcome
from webhook.domain import keys
from webhook.domain.errors import NumagateError
from webhook.domain.raw import JsonObject
from webhook.domain.raw import get_object
from webhook.domain.raw import get_text
from webhook.kube.once import Once

WORDS: Final = ("mutating", "validating")
"""Both configurations, as metrics and probes name them, in the order in which they are rendered."""

LOOK_SECONDS: Final = 2.0
"""How often to see whether the policies have changed, which asks nobody."""
READ_SECONDS: Final = 10.0
"""How often to read what is installed, where they have not: so long may a caBundle be missing that was taken out."""
RETRY_SECONDS: Final = 10.0

IN_STEP: Final = "in step"

_LOGGER = logging.getLogger("numagate.configurations")

Render = Callable[[Sequence[JsonObject], str], Sequence[JsonObject]]
"""Makes both configurations of policy documents and a mode; raises ValueError for what is no mode."""


class Cluster(Protocol):
    """Both configurations, as they are in the cluster."""

    def read(self, word: str) -> JsonObject | None:
        """Answer one, None where it is not installed."""

    def write(self, word: str, patch: Patch) -> None:
        """Patch one."""


class Certificates(Protocol):
    """The certificates, whose CA the configurations tell to trust."""

    def step(self, installed: Installed | None) -> Outcome:
        """Take the next step in view of what is installed, None where nobody knows; answer what to publish."""

    def rest(self) -> None:
        """Hear that another replica leads."""


class Meters(Protocol):
    """What is counted."""

    def drifted(self, word: str, *, fields: int, entries: int) -> None:
        """Show how far a configuration is from what it should be."""

    def mended(self, word: str) -> None:
        """Count a write."""

    def published(self, word: str) -> None:
        """Count a write of a caBundle."""


class Keeper:
    """Runs on a thread of its own. `policies` answers the documents in force, `leading` whether it is ours to write.

    Without `certificates` another one issues them.
    """

    def __init__(
        self,
        installed: Cluster,
        *,
        render: Render,
        certificates: Certificates | None = None,
        policies: Callable[[], Sequence[JsonObject]],
        leading: Callable[[], bool],
        meters: Meters,
        clock: Callable[[], float] = time.monotonic,
        look_seconds: float = LOOK_SECONDS,
        read_seconds: float = READ_SECONDS,
    ) -> None:
        self._installed = installed
        self._render = render
        self._certificates = certificates
        self._policies = policies
        self._leading = leading
        self._meters = meters
        self._clock = clock
        self._look_seconds, self._read_seconds = look_seconds, read_seconds
        self._budgets = {word: Budget() for word in WORDS}
        self._seen: Sequence[JsonObject] | None = None
        self._due = 0.0
        self._notes: dict[str, str] = {}
        self._once = Once(_LOGGER)

    def run(self, stop: threading.Event) -> None:
        """Look again and again, until `stop` is set."""
        while not stop.wait(self._look_seconds):
            try:
                self.step()
                self._once.again()
            except NumagateError as error:
                self._once.warn(f"the webhook configurations cannot be kept in step: {error}")
            except Exception:
                # The edge of the thread: it must outlive a bug, or drift would go unseen.
                _LOGGER.exception("bug while keeping the webhook configurations in step")

    def step(self) -> None:
        """Compare and mend, where it is time to.

        Raises:
            NumagateError: the API server does not answer, or refuses.
        """
        if not self._leading():
            self._seen = None
            self._forget()
            if self._certificates is not None:
                self._certificates.rest()
            return
        policies = self._policies()
        if policies == self._seen and self._clock() < self._due:
            return
        self._seen, self._due = policies, self._clock() + RETRY_SECONDS
        # No policy at all is no reason to write: there is nothing to be in step with.
        try:
            installed = {word: self._installed.read(word) for word in WORDS if policies or self._certificates}
        except NumagateError:
            # A certificate ends all the same.
            if self._certificates is not None:
                self._certificates.step(None)
            raise
        if self._trust(installed):
            # What was read is outdated now, and perhaps there is more to do: the next look comes at once.
            self._seen = None
            return
        for word in WORDS if policies else ():
            self._keep(word, installed[word], policies)
        self._due = self._clock() + self._read_seconds

    @property
    def note(self) -> str:
        """Say how both are, for people."""
        return "; ".join(f"{word}: {note}" for word, note in self._notes.items()) or "not looked at by this replica"

    def _forget(self) -> None:
        if self._notes:
            self._notes = {}
            for word in WORDS:
                self._meters.drifted(word, fields=0, entries=0)

    def _trust(self, installed: Installed) -> bool:
        """Let the certificates take a step, and publish their CAs; answer whether anything was written."""
        if self._certificates is None:
            return False
        outcome = self._certificates.step(installed)
        wrote = outcome.moved
        for word, found in installed.items() if outcome.bundle is not None else ():
            wrote |= found is not None and trust.is_ours(found) and self._publish(word, found, outcome.bundle or b"")
        return wrote

    def _publish(self, word: str, found: JsonObject, bundle: bytes) -> bool:
        """Write the caBundle where it differs, without a limit: an entry without one refuses pods, or misses them."""
        drift = trust.distrust(found, bundle)
        if not drift.fields:
            return False
        self._installed.write(word, drift.patch)
        self._meters.published(word)
        _LOGGER.info("the %s webhook configuration: caBundle of %d entries written", word, len(drift.fields))
        return True

    def _keep(self, word: str, found: JsonObject | None, policies: Sequence[JsonObject]) -> None:
        if found is None:
            self._tell(word, "not installed")
            return
        metadata = get_object(found, "metadata")
        mode = get_text(get_object(metadata, "labels"), keys.INSTALLED_MODE)
        try:
            wanted = self._render(policies, mode)[WORDS.index(word)]
        except ValueError:
            self._tell(word, f"left alone: its label {keys.INSTALLED_MODE} is no mode")
            return
        drift = compare(found, wanted)
        if not drift.fields:
            self._tell(word, drift.words or IN_STEP, drift)
        elif get_text(get_object(metadata, "annotations"), keys.KEEP_IN_STEP) == "false":
            self._tell(word, f"{drift.words}; left alone, as its annotation {keys.KEEP_IN_STEP} says", drift)
        else:
            self._mend(word, drift)

    def _mend(self, word: str, drift: Drift) -> None:
        """Write what differs, unless that was done too often."""
        content = json.dumps([one.wanted for one in drift.fields], sort_keys=True)
        budget = self._budgets[word]
        if not budget.allows(content, self._clock()):
            self._tell(word, f"{drift.words}; somebody else writes, too, so it is left for an hour", drift)
            return
        self._tell(word, drift.words, drift)
        self._installed.write(word, drift.patch)
        budget.note(content, self._clock())
        self._meters.mended(word)
        rest = Drift("", (), drift.missing)
        self._tell(word, rest.words or IN_STEP, rest)

    def _tell(self, word: str, note: str, drift: Drift | None = None) -> None:
        fields, missing = (len(drift.fields), len(drift.missing)) if drift else (0, 0)
        self._meters.drifted(word, fields=fields, entries=missing)
        if note != self._notes.get(word):
            _LOGGER.info("the %s webhook configuration: %s", word, note)
        self._notes[word] = note
