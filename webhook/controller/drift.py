"""How an installed webhook configuration differs from what the policies make of it, and the patch that mends it.

Only rules, conditions and namespace selectors are ours to keep: who is called and trusted, how long is waited and what
happens without an answer belongs to whoever installs numagate.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from webhook.domain.raw import JsonObject
from webhook.domain.raw import as_object
from webhook.domain.raw import get_list
from webhook.domain.raw import get_object
from webhook.domain.raw import get_text

FIELDS: Final = ("rules", "matchConditions", "namespaceSelector")

Patch = Sequence[JsonObject]


@dataclass(frozen=True, slots=True)
class Difference:
    """A field of the entry at `index`, and what it should hold."""

    index: int
    entry: str
    field: str
    wanted: object

    def __str__(self) -> str:
        return f"{self.field} of {self.entry}"


@dataclass(frozen=True, slots=True)
class Drift:
    """All differences; `missing` are entries that ought to be installed, which only whoever installs can add."""

    version: str
    fields: tuple[Difference, ...]
    missing: tuple[str, ...]

    @property
    def patch(self) -> Patch:
        """The JSON patch that mends the fields, and nothing where the object has changed since it was read."""
        if not self.fields:
            return ()
        entries = {one.index: one.entry for one in self.fields}
        return (
            {"op": "test", "path": "/metadata/resourceVersion", "value": self.version},
            *({"op": "test", "path": f"/webhooks/{at}/name", "value": name} for at, name in entries.items()),
            *({"op": "add", "path": f"/webhooks/{one.index}/{one.field}", "value": one.wanted} for one in self.fields),
        )

    @property
    def words(self) -> str:
        """Say what differs, "" for nothing."""
        missing = (f"entry {name} is not installed" for name in self.missing)
        differing = (f"{one} differ" for one in self.fields)
        return ", ".join((*differing, *missing))


def compare(installed: JsonObject, wanted: JsonObject) -> Drift:
    """Compare two webhook configurations, entry by entry; entries that are none of ours are left alone."""
    there = {get_text(one, "name"): at for at, one in enumerate(get_list(installed, "webhooks"))}
    entries = get_list(installed, "webhooks")
    fields: list[Difference] = []
    missing: list[str] = []
    for ours in map(as_object, get_list(wanted, "webhooks")):
        name = get_text(ours, "name")
        if name not in there:
            missing.append(name)
            continue
        theirs = as_object(entries[there[name]])
        # A list without members and no list at all are the same to the API server.
        fields += (
            Difference(there[name], name, field, ours.get(field))
            for field in FIELDS
            if (theirs.get(field) or None) != (ours.get(field) or None)
        )
    return Drift(get_text(get_object(installed, "metadata"), "resourceVersion"), tuple(fields), tuple(missing))
