"""Gathers the content of a snapshot from what the watches keep."""

from collections.abc import Callable
from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import orjson

from webhook.controller.documents import Documents
from webhook.controller.fleet import Fleet
from webhook.controller.namespaces import Namespaces
from webhook.domain.raw import JsonObject
from webhook.domain.raw import as_object
from webhook.domain.raw import get_list
from webhook.domain.raw import get_object
from webhook.domain.raw import get_text


@dataclass(frozen=True, slots=True)
class Content:
    """What a snapshot says: policies as they were written, classes, and the labels of namespaces by name."""

    policies: Sequence[JsonObject]
    classes: Sequence[JsonObject]
    namespaces: Mapping[str, Mapping[str, str]]


class WorldComposer:
    """Composes snapshots; `encode` writes one out, `profile` makes of a NodeProfile what a survey takes."""

    def __init__(
        self,
        *,
        fleet: Fleet,
        policies: Documents,
        profiles: Documents,
        namespaces: Namespaces,
        profile: Callable[[JsonObject], Any],
        minimum: Callable[[Sequence[JsonObject]], int],
        encode: Callable[[Content, datetime], str],
    ) -> None:
        """`minimum` answers how many nodes must agree before a report is trusted, as the policies say."""
        self._fleet = fleet
        self._policies = policies
        self._profiles = profiles
        self._namespaces = namespaces
        self._profile = profile
        self._minimum = minimum
        self._encode = encode
        self._classes: tuple[JsonObject, ...] = ()

    def compose(self, *, survey: bool) -> Callable[[datetime], str]:
        """Gather the content, with a new look at the nodes if so asked."""
        policies = self._policies.in_force()
        if survey:
            profiles = [self._profile(one) for one in self._profiles.in_force()]
            self._classes = self._fleet.survey(profiles, self._minimum(policies), before=self._classes)
        content = Content(policies, self._classes, self._namespaces.relevant(policies))
        return lambda written: self._encode(content, written)

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
