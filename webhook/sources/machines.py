"""The machine library: well-known servers and cloud types as NodeProfile documents, read one at a time."""

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from webhook.config.document import Document
from webhook.config.document import read_stream
from webhook.config.node_profile import on_machine
from webhook.config.node_profile import to_node_class
from webhook.config.words import shorten
from webhook.config.words import suggest
from webhook.domain.errors import PolicyError
from webhook.domain.raw import JsonObject
from webhook.domain.raw import get_object
from webhook.domain.raw import get_text
from webhook.domain.topology import NodeClass

FOLDER = Path(__file__).parent.parent / "data" / "machines"

REFERENCE = "generic-2x4"
"""The class that lint assumes where nobody names one."""

ALIASES: Mapping[str, str] = MappingProxyType({"h100-2x4": REFERENCE, "h100-2x4-restricted": f"{REFERENCE}-restricted"})


def list_machines() -> tuple[str, ...]:
    """Answer the names of the library, without aliases, in alphabetical order."""
    return tuple(sorted(path.stem for path in FOLDER.glob("*.yaml")))


def load_machine(name: str, *, assumed: bool = False) -> NodeClass:
    """Read one machine of the library by name or alias.

    Raises:
        PolicyError: the library has no such machine.
    """
    document = _document(name)
    own_name = get_text(get_object(document.data, "metadata"), "name")
    return to_node_class(document, own_name, _spec(document), assumed=assumed)


def machine_spec(name: str) -> JsonObject:
    """Answer the spec of a library machine, with what it takes from another machine filled in.

    Raises:
        PolicyError: the library has no such machine.
    """
    return _spec(_document(name))


def _spec(document: Document) -> JsonObject:
    spec = get_object(document.data, "spec")
    base = get_text(spec, "machine")
    return on_machine(machine_spec(base), spec) if base else spec


def _document(name: str) -> Document:
    own_name = ALIASES.get(name, name)
    known = list_machines()
    if own_name not in known:
        message = f"{shorten(name)} is no machine of the library: {suggest(name, [*known, *ALIASES])}"
        raise PolicyError(message)
    file = FOLDER / f"{own_name}.yaml"
    return read_stream(file.read_text(encoding="utf-8"), file.name)[0]
