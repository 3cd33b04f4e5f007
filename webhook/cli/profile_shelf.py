"""Finds the node classes that `numagate profiles` shows: of the machine library, or of the files that options name."""

from collections.abc import Iterator
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC
from datetime import datetime

from webhook.cli import wiring
from webhook.config.words import shorten
from webhook.config.words import suggest
from webhook.domain.errors import PolicyError
from webhook.domain.topology import NodeClass
from webhook.sources import machines
from webhook.sources.policy_file import is_file
from webhook.sources.profiles import ProfileText
from webhook.sources.profiles import library_text
from webhook.sources.profiles import texts_of


@dataclass(frozen=True, slots=True)
class Entry:
    """A node class, the title and text of its document, and the other names that the library has for it."""

    node_class: NodeClass
    title: str
    text: str
    aliases: tuple[str, ...] = ()


def find_all(*, policy: str | None, profiles: Sequence[str]) -> Iterator[Entry]:
    """Yield the node classes of the options as lint would take them; without options those of the library.

    Raises:
        PolicyError: a file is missing or wrong or declares none, or no machine has that name.
    """
    if policy is None and not profiles:
        yield from map(_of_library, machines.list_machines())
        return
    world = wiring.load_world(policy=policy, profiles=profiles, governs=None, instant=datetime.now(tz=UTC))
    if not world.classes:
        message = "no NodeProfile in it: write at least one, or name one with --profile"
        raise PolicyError(message, source=str(policy))
    declared = {text.name: (text, aliases) for text, aliases in _texts(policy, profiles)}
    for node_class in world.classes:
        text, aliases = declared[node_class.name]
        yield Entry(node_class, text.title, text.text, aliases)


def find(name: str, *, policy: str | None, profiles: Sequence[str]) -> Entry:
    """Answer one of them by name, or by the library's other name for it.

    Raises:
        PolicyError: as `find_all`, or none has that name.
    """
    if policy is None and not profiles:
        return _of_library(machines.load_machine(name).name)
    known = {other: entry for entry in find_all(policy=policy, profiles=profiles) for other in _names(entry)}
    if name not in known:
        message = f"{shorten(name)} is no node class there: {suggest(name, known)}"
        raise PolicyError(message, source=", ".join(profiles) or str(policy))
    return known[name]


def _names(entry: Entry) -> tuple[str, ...]:
    return (entry.node_class.name, *entry.aliases)


def _of_library(name: str) -> Entry:
    text = library_text(name)
    return Entry(machines.load_machine(name), text.title, text.text, _aliases(name))


def _aliases(name: str) -> tuple[str, ...]:
    return tuple(alias for alias, own in machines.ALIASES.items() if own == name)


def _texts(policy: str | None, profiles: Sequence[str]) -> Iterator[tuple[ProfileText, tuple[str, ...]]]:
    """Yield the documents, those of the policy only where no profile replaces them."""
    for source in profiles:
        if is_file(source):
            yield from ((text, ()) for text in texts_of(source))
        else:
            name = machines.load_machine(source).name
            yield library_text(name), _aliases(name)
    if policy is not None and not profiles:
        yield from ((text, ()) for text in texts_of(policy))
