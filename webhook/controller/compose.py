"""Gathers the content of a snapshot from what the watches keep."""

import logging
from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Sequence
from datetime import datetime
from operator import itemgetter
from typing import Final

import orjson

from webhook.config import grammar
from webhook.config.document import from_object
from webhook.controller.devices import DeviceClasses
from webhook.controller.documents import Documents
from webhook.controller.fleet import Fleet
from webhook.controller.namespaces import Namespaces
from webhook.domain import api
from webhook.domain.errors import NumagateError
from webhook.domain.raw import JsonObject
from webhook.domain.raw import as_object
from webhook.domain.raw import get_list
from webhook.domain.raw import get_object
from webhook.domain.raw import get_text
from webhook.sources.inventory.reduce import reduce_profile
from webhook.sources.inventory.store import MINIMUM
from webhook.sources.policy_file import read_policy
from webhook.sources.policy_file import read_profile
from webhook.sources.snapshot import Content
from webhook.sources.snapshot import encode
from webhook.sources.snapshot import text_of

MOST_UNTRUSTED_BYTES: Final = 384 * 1024
"""What the classes that may only relax may take of a snapshot, so that a few nodes cannot fill it."""

_LOGGER = logging.getLogger("numagate.world")


class WorldComposer:
    """Composes snapshots."""

    def __init__(
        self,
        *,
        fleet: Fleet,
        policies: Documents,
        profiles: Documents,
        namespaces: Namespaces,
        devices: DeviceClasses,
        clock: Callable[[], datetime],
    ) -> None:
        self._fleet = fleet
        self._policies = policies
        self._profiles = profiles
        self._namespaces = namespaces
        self._devices = devices
        self._clock = clock
        self._holds_until: datetime | None = None
        self._classes: tuple[JsonObject, ...] = ()
        self._judged: dict[str, bool] = {}

    def compose(self, *, survey: bool) -> Callable[[datetime], str]:
        """Gather the content, with a new look at the nodes if so asked, or if an agent has been silent for too long."""
        policies = self._policies.in_force()
        now = self._clock()
        if survey or (self._holds_until is not None and self._holds_until < now):
            profiles = [reduce_profile(one) for one in self._profiles.in_force()]
            found = self._fleet.survey(profiles, _minimum(policies), before=self._classes, now=now)
            self._holds_until = found.holds_until
            self._classes = tuple(_bounded(self._readable(found.documents)))
            self._profiles.count(found.profiles)
        content = Content(
            policies=policies,
            classes=self._classes,
            namespaces=self._namespaces.relevant(policies),
            device_classes=self._devices.entries(),
        )
        return lambda written: encode(content, written).decode()

    def _readable(self, entries: Iterable[JsonObject]) -> tuple[JsonObject, ...]:
        """Leave out what no replica could read; most entries say what they said the last time, and were judged then."""
        known, self._judged = self._judged, {}
        kept: list[JsonObject] = []
        for entry in entries:
            text = text_of([entry.get("name"), entry.get("spec")])
            self._judged[text] = known[text] if text in known else _is_readable(entry)
            if self._judged[text]:
                kept.append(entry)
        return tuple(kept)

    def adopt(self, text: str) -> None:
        """Take the classes of the last snapshot, which keep their names, and its policies, which were good."""
        try:
            world = as_object(orjson.loads(text))
        except ValueError:
            return
        self._classes = tuple(map(as_object, get_list(world, "classes")))
        self._policies.adopt(
            {
                get_text(get_object(one, "metadata"), "name"): get_object(one, "spec")
                for one in get_list(world, "policies")
            }
        )


def _minimum(policies: Sequence[JsonObject]) -> int:
    """Answer the most that a policy asks for: a topology that one of them does not trust may not deny."""
    head = {"apiVersion": api.API_VERSION, "kind": api.POLICY}
    read = (read_policy(from_object({**head, **policy}, "")) for policy in policies)
    return max((policy.min_reporting_nodes for policy in read), default=MINIMUM)


def _bounded(classes: Sequence[JsonObject]) -> Iterator[JsonObject]:
    """Leave out untrusted classes beyond what they may take: small ones are kept first."""
    sizes = {get_text(one, "name"): len(orjson.dumps(one)) for one in classes if one.get("trusted") is not True}
    left, dropped = MOST_UNTRUSTED_BYTES, set[str]()
    for name, size in sorted(sizes.items(), key=itemgetter(1, 0)):
        left -= size
        if left < 0:
            dropped.add(name)
    if dropped:
        _LOGGER.warning(
            "left out of the snapshot, which would grow too large: node class %s", ", ".join(sorted(dropped))
        )
    yield from (one for one in classes if get_text(one, "name") not in dropped)


def _is_readable(entry: JsonObject) -> bool:
    """Tell whether a replica can read a class: it would refuse the whole snapshot for one that it cannot."""
    name = get_text(entry, "name")
    head = {"apiVersion": api.API_VERSION, "kind": api.PROFILE, "metadata": {"name": name}}
    document = from_object({**head, "spec": entry.get("spec")}, f"node class {name}")
    try:
        grammar.check(document)
        read_profile(document)
    except NumagateError as error:
        _LOGGER.warning("left out of the snapshot: %s", error)
        return False
    return True
