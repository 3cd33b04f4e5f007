"""A small world around the rotator: a Secret, two configurations, replicas that lag, clocks that jump, dying leaders.

Replicas serve any good certificate that was in the Secret within the kubelet's lag; API servers trust any bundle that
was in a configuration within the lag of their watches. Each pair of both must agree.
"""

import base64
from collections.abc import Iterator
from collections.abc import Mapping
from dataclasses import dataclass
from dataclasses import field
from datetime import datetime
from datetime import timedelta
from typing import Any

from webhook.controller import trust
from webhook.controller.drift import Patch
from webhook.controller.keeper import Keeper
from webhook.controller.rotator import Rotator
from webhook.controller.secret import NOTHING
from webhook.controller.secret import Stored
from webhook.domain.jsonpatch import Operation
from webhook.domain.jsonpatch import apply
from webhook.domain.raw import JsonObject
from webhook.kube.error import CONFLICT
from webhook.kube.error import KubeError
from webhook.tls.authority import read_authorities
from webhook.tls.certificate import holds_at
from webhook.tls.holdings import Holdings
from webhook.tls.holdings import read
from webhook.tls.issue import service_names
from webhook.tls.pair import Pair
from webhook.tls.rotation import Phase
from webhook.tls.rotation import Rhythm
from webhook.tls.rotation import Step
from webhook.tls.rotation import phase_of

KUBELET_SECONDS = 120.0
API_SERVER_SECONDS = 60.0
RIGHT_SECONDS = 3 * 3600.0
LIVE_SECONDS = 5 * 86400.0
LOOKS = 2
NAMES = service_names("numagate", "numagate-system")
RHYTHM = Rhythm()


class DeadError(Exception):
    """The leader was killed in the middle of a step."""


def configuration(*, managed: bool = True) -> dict[str, Any]:
    """Make an installed configuration of two entries that trusts nobody."""
    owner = "managed" if managed else "self-signed"
    metadata = {"resourceVersion": "1", "annotations": {"numagate.io/certificates": owner}}
    return {"metadata": metadata, "webhooks": [{"name": name, "clientConfig": {}} for name in ("pods", "promise")]}


@dataclass
class Seen:
    """What a value was, from when on, in seconds."""

    entries: list[tuple[float, Any]] = field(default_factory=list)

    def note(self, at: float, value: object) -> None:
        """Note a value."""
        if not self.entries or self.entries[-1][1] != value:
            self.entries.append((at, value))

    def since(self, instant: float) -> Iterator[Any]:
        """Yield every value that held at that instant or later."""
        for index, (_, value) in enumerate(self.entries):
            ended = self.entries[index + 1][0] if index + 1 < len(self.entries) else float("inf")
            if ended >= instant:
                yield value


@dataclass
class Meters:
    """What is counted."""

    steps: list[Step] = field(default_factory=list)
    failures: int = 0

    def rotated(self, step: Step) -> None:
        """Keep the steps."""
        self.steps.append(step)

    def rotation_failed(self) -> None:
        """Count."""
        self.failures += 1

    def rotation(self, phase: Phase | None, ca_ends: datetime | None) -> None:
        """Show nothing."""

    def drifted(self, word: str, *, fields: int, entries: int) -> None:
        """Show nothing."""

    def mended(self, word: str) -> None:
        """Count nothing."""

    def published(self, word: str) -> None:
        """Count nothing."""


class ManagedWorld:
    """The world; its leader looks a few times in each wait."""

    def __init__(self, wall: datetime, *, rhythm: Rhythm = RHYTHM) -> None:
        self.wall, self.now = wall, 0.0
        self._rhythm = rhythm
        self.configurations: dict[str, Any] = {"mutating": configuration(), "validating": configuration()}
        self.data: dict[str, bytes] | None = None
        self.version = 1
        self.owner = ""
        self.hidden = False
        self.meters = Meters()
        self._served = Seen()
        self._trusted: dict[tuple[str, int], Seen] = {}
        self._down = True
        self._dies: bool | None = None
        self._dies_in: Step | None = None
        self._collides = False
        self._vandalised: set[bytes] = {b""}
        self.members = [self._member(), self._member()]

    def _member(self) -> tuple[Rotator, Keeper]:
        rotator = Rotator(
            self, names=NAMES, meters=self.meters, rhythm=self._rhythm, wall=lambda: self.wall, clock=lambda: self.now
        )
        keeper = Keeper(
            Configurations(self),
            render=lambda _policies, _mode: (),
            certificates=rotator,
            policies=lambda: (),
            leading=lambda: self.members[0][0] is rotator,
            meters=self.meters,
            clock=lambda: self.now,
            read_seconds=1.0,
        )
        return rotator, keeper

    # The Secret.

    def read(self) -> Stored:
        """Answer the Secret."""
        annotations = {"cert-manager.io/certificate-name": self.owner} if self.owner else {}
        manifest = {"version": self.version, "metadata": {"annotations": annotations}}
        return NOTHING if self.data is None else Stored(manifest, self.data)

    def write(self, before: Stored, data: Mapping[str, bytes]) -> None:
        """Replace the Secret, unless somebody was faster, or the leader is to die."""
        if self._collides:
            self._collides = False
            self._store({**(self.data or {}), "note": b"of somebody else"})
        step = self._step_of(data)
        self._die(step, after=False)
        if before.manifest.get("version") != (None if self.data is None else self.version):
            message = "conflict"
            raise KubeError(message, status=CONFLICT)
        self._store({**(self.data or {}), **data})
        self._die(step, after=True)

    def _step_of(self, data: Mapping[str, bytes]) -> Step:
        before, fresh = self.holdings, read({**(self.data or {}), **data}).holdings
        more = len(fresh.authorities) - len(before.authorities)
        if more:
            return Step.ANNOUNCE if more > 0 else Step.DROP
        return Step.RENEW if fresh.issuer == before.issuer else Step.SWITCH

    def _die(self, step: Step, *, after: bool) -> None:
        if self._dies is after and self._dies_in in {None, step}:
            self._dies = None
            raise DeadError

    def _store(self, data: dict[str, bytes] | None) -> None:
        self.data = data
        self.version += 1
        leaf = None if data is None else read(data).holdings.leaf
        if leaf is not None:
            self._served.note(self.now, leaf)
        # Every follower sees it by its watch.
        for rotator, _ in self.members[1:]:
            rotator.receive(self.read())

    # What happens.

    def wait(self, seconds: float) -> None:
        """Let time pass, in a few steps at whose ends the leader looks."""
        looks = min(LOOKS, max(1, round(seconds)))
        for _ in range(looks):
            self.now += seconds / looks
            self.wall += timedelta(seconds=seconds / looks)
            self._look()

    def live(self) -> None:
        """Let months pass, with a look every few days, until the CA is due."""
        for _ in range(60):
            self.now += LIVE_SECONDS
            self.wall += timedelta(seconds=LIVE_SECONDS)
            self._look()
            if self.phase is Phase.ANNOUNCED:
                break

    def come_right(self) -> None:
        """Let time pass until nothing is left to be done, or too long."""
        end = self.now + RIGHT_SECONDS
        while self.now < end and not self.right:
            self.wait(90)

    @property
    def right(self) -> bool:
        """Whether nothing is left to be done."""
        return self.faults == () and self.phase is Phase.STEADY and self.published

    def _look(self) -> None:
        self._look_of_leaders()
        if self._down and self.works:
            self._down = False
            self._served, self._trusted = Seen(), {}
            self._served.note(self.now, self.holdings.leaf)
            self.note_bundles()

    @property
    def works(self) -> bool:
        """Whether the certificate of the Secret holds, and is trusted."""
        leaf, issuer = self.holdings.leaf, self.holdings.issuer
        return leaf is not None and issuer is not None and self._holds(leaf) and self.published

    def _look_of_leaders(self) -> None:
        for _, keeper in list(self.members):
            try:
                keeper.step()
            except KubeError:
                self.meters.failures += 1
            except DeadError:
                self.kill()

    def jump(self, span: timedelta) -> None:
        """Set the wall clock of everybody; where no certificate holds then, there is nothing to keep up for a while."""
        self.wall += span
        leaf = self.holdings.leaf
        self._down = self._down or leaf is None or not self._holds(leaf)

    def kill(self) -> None:
        """End the leader; the other one leads, and one without any memory stands by."""
        self.members = [self.members[1], self._member()]

    def elect(self) -> None:
        """Let the other one lead."""
        self.members.reverse()

    def die_at(self, *, after: bool, step: Step | None = None) -> None:
        """Let the leader end at its next write of the Secret, or at that of the `step`."""
        self._dies, self._dies_in = after, step

    @property
    def armed(self) -> bool:
        """Whether a leader is still to end."""
        return self._dies is not None

    def collide(self) -> None:
        """Let somebody else write just before the next write."""
        self._collides = True

    def spoil(self, key: str, value: bytes | None) -> None:
        """Break the Secret; not while a bundle is broken, too, for then nobody knows what is served."""
        if self.data is not None and self.published_whole:
            rest = {name: content for name, content in self.data.items() if name != key}
            self._store(rest if value is None else {**rest, key: value})

    def delete(self) -> None:
        """Delete the Secret, likewise."""
        if self.published_whole:
            self._store(None)

    def vandalise(self, bundle: bytes) -> None:
        """Overwrite a bundle; not while the Secret is broken, too."""
        if not self.faults:
            self._vandalised.add(bundle)
            entry = self.configurations["validating"]["webhooks"][0]
            entry["clientConfig"]["caBundle"] = base64.b64encode(bundle).decode()
            self.note_bundles()

    # What is found.

    @property
    def holdings(self) -> Holdings:
        """What the Secret holds."""
        return read(self.data or {}).holdings

    @property
    def faults(self) -> tuple[str, ...]:
        """What is wrong with the Secret."""
        return read(self.data or {}).faults

    @property
    def phase(self) -> Phase:
        """How far a rotation is."""
        return phase_of(self.holdings, self.wall)

    @property
    def bundles(self) -> list[bytes]:
        """The bundle of every entry."""
        return [bundle for found in self.configurations.values() for bundle in trust.bundles(found)]

    @property
    def published(self) -> bool:
        """Whether every entry has the bundle of the Secret."""
        return set(self.bundles) == {self.holdings.bundle}

    @property
    def published_whole(self) -> bool:
        """Whether every entry has a bundle that we wrote."""
        return self._vandalised.isdisjoint(self.bundles)

    @property
    def broken(self) -> list[str]:
        """Every pair of a certificate that may be served and a bundle that may be in force where they do not agree.

        A certificate that has ended, and a bundle of which all has, are beyond saving.
        """
        if self._down:
            return []
        leaves = [leaf for leaf in self._served.since(self.now - KUBELET_SECONDS) if self._holds(leaf)]
        in_force = [read_authorities(bundle) for bundle in self._in_force()]
        return [
            f"leaf {leaf.certificate.serial_number:x} is not trusted by a bundle of {len(authorities)} CAs"
            for authorities in in_force
            if any(holds_at(one.certificate, self.wall) for one in authorities)
            for leaf in leaves
            if not any(one.signed(leaf.certificate) for one in authorities)
        ]

    def _in_force(self) -> set[bytes]:
        found = {bundle for seen in self._trusted.values() for bundle in seen.since(self.now - API_SERVER_SECONDS)}
        return found - self._vandalised

    def note_bundles(self) -> None:
        """Note what each entry holds now."""
        for word, found in self.configurations.items():
            for at, bundle in enumerate(trust.bundles(found)):
                self._trusted.setdefault((word, at), Seen()).note(self.now, bundle)

    def _holds(self, leaf: Pair) -> bool:
        return holds_at(leaf.certificate, self.wall)


class Configurations:
    """Both configurations of a world, as the keeper reads and patches them."""

    def __init__(self, world: ManagedWorld) -> None:
        self._world = world

    def read(self, word: str) -> JsonObject | None:
        """Answer one.

        Raises:
            KubeError: this world hides them.
        """
        if self._world.hidden:
            message = "forbidden"
            raise KubeError(message, status=403)
        found: JsonObject | None = self._world.configurations[word]
        return found

    def write(self, word: str, patch: Patch) -> None:
        """Patch one."""
        added = [one for one in patch if one["op"] == "add"]
        operations = tuple(Operation("add", str(one["path"]), one["value"]) for one in added)
        self._world.configurations[word] = apply(self._world.configurations[word], operations)
        self._world.note_bundles()
