"""Reads world snapshots: what serving pods and `numagate lint --world` decide by."""

import hashlib
from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Mapping
from dataclasses import dataclass
from dataclasses import replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any
from typing import TypeVar
from typing import cast

import orjson

from webhook import __version__
from webhook.config.document import Document
from webhook.config.document import from_object
from webhook.config.words import printable
from webhook.domain import api
from webhook.domain import instant
from webhook.domain.claim_documents import device_class_entry
from webhook.domain.claims import ClaimCatalog
from webhook.domain.claims import DeviceClass
from webhook.domain.errors import PolicyError
from webhook.domain.policy import Policy
from webhook.domain.quantity import Quantity
from webhook.domain.raw import JsonObject
from webhook.domain.raw import as_object
from webhook.domain.raw import get_list
from webhook.domain.raw import get_object
from webhook.domain.raw import get_text
from webhook.domain.raw import get_texts
from webhook.domain.topology import Free
from webhook.domain.topology import NodeClass
from webhook.domain.topology import with_shared_parts
from webhook.sources.newer_fields import understood
from webhook.sources.policy_file import read_policy
from webhook.sources.policy_file import read_profile
from webhook.sources.snapshot import GENERATION_LENGTH
from webhook.sources.snapshot import MAX_BYTES
from webhook.sources.snapshot import text_of

_T = TypeVar("_T")
_POLICY_HEAD = {"apiVersion": api.API_VERSION, "kind": api.POLICY}
_PROFILE_HEAD = {"apiVersion": api.API_VERSION, "kind": api.PROFILE}
_SHOWN_NAME = 64


@dataclass(frozen=True, slots=True)
class LoadedWorld:
    """A snapshot that was read; `written` is when, `sources` says for each class which source each field is from.

    `left_out` are fields of a newer version that could be left out.
    """

    policies: tuple[Policy, ...]
    classes: tuple[NodeClass, ...]
    namespaces: Mapping[str, Mapping[str, str]]
    claims: ClaimCatalog
    generation: str
    written: datetime
    source: str
    sources: Mapping[str, Mapping[str, str]]
    left_out: tuple[str, ...] = ()


class Reader:
    """Reads one snapshot after the other; what did not change between two of them stays the same object."""

    def __init__(self) -> None:
        """Start with nothing known."""
        self._known: dict[tuple[str, str], object] = {}

    def read(self, data: bytes, source: str) -> LoadedWorld:
        """Read a snapshot.

        Raises:
            PolicyError: it is no snapshot, or something in it cannot be in force.
        """
        document = _parse(data, source)
        content, left_out = _understood(document.data)
        written = instant.parse(get_text(content, "written"))
        if written is None:
            raise document.error(("written",), "no instant like 2027-01-31T00:00:00Z: export the snapshot again")
        kept = _Kept(self._known, {})
        entries = [as_object(entry) for entry in get_list(content, "classes")]
        namespaces, devices = get_list(content, "namespaces"), get_list(content, "deviceClasses")
        world = LoadedWorld(
            policies=_policies(get_list(content, "policies"), entries, source, kept),
            classes=_classes(entries, source, kept),
            namespaces=kept.same("namespaces", namespaces, lambda: dict(_labels(namespaces))),
            claims=kept.same("devices", devices, lambda: ClaimCatalog(classes=dict(_device_classes(devices)))),
            generation=get_text(content, "generation"),
            written=written,
            source=source,
            sources={get_text(one, "name"): _texts(get_object(one, "sources")) for one in entries},
            left_out=left_out,
        )
        self._known = kept.now
        return world


@dataclass(frozen=True, slots=True)
class _Kept:
    """What was made of the last snapshot and of this one, by what it was made from."""

    before: Mapping[tuple[str, str], object]
    now: dict[tuple[str, str], object]

    def same(self, what: str, content: object, make: Callable[[], _T]) -> _T:
        """Answer what was made of the same content before, or what `make` makes of it now."""
        key = (what, text_of(content))
        value: Any = self.before.get(key)
        if value is None:
            value = make()
        self.now[key] = value
        return cast("_T", value)

    def all_of(self, what: str) -> tuple[Any, ...]:
        """Answer all such things of the last snapshot."""
        return tuple(value for key, value in self.before.items() if key[0] == what)


def _understood(content: JsonObject) -> tuple[JsonObject, tuple[str, ...]]:
    """Leave out what the writer says a reader may leave out that does not know it."""
    ignorable = frozenset(get_texts(content, "ignorable"))
    if not ignorable:
        return content, ()
    left_out: set[str] = set()
    made = dict(content)
    for part, head in (("policies", _POLICY_HEAD), ("classes", _PROFILE_HEAD)):
        entries = []
        for entry in map(as_object, get_list(content, part)):
            # The name, which is in another place there, tells the grammar nothing.
            document, names = understood({**head, "metadata": {"name": "any"}, "spec": entry.get("spec")}, ignorable)
            entries.append({**entry, "spec": document["spec"]} if "spec" in entry else entry)
            left_out.update(names)
        made[part] = entries
    return made, tuple(sorted(left_out))


def _policies(entries: list[object], classes: Iterable[JsonObject], source: str, kept: _Kept) -> tuple[Policy, ...]:
    """Read the policies; the generation of each is over its own text and those of all classes."""
    decisive = sorted((text_of(_named(one)), one.get("trusted") is not False) for one in classes)

    def make(entry: object) -> Policy:
        policy = read_policy(_checked({**_POLICY_HEAD, **as_object(entry)}, source))
        text = orjson.dumps([__version__, text_of(entry), decisive])
        return replace(policy, generation=hashlib.sha256(text).hexdigest()[:GENERATION_LENGTH])

    made = [kept.same("policy", [entry, decisive], partial(make, entry)) for entry in entries]
    return kept.same("policies", [entries, decisive], lambda: tuple(sorted(made, key=lambda one: one.order)))


def _classes(entries: list[JsonObject], source: str, kept: _Kept) -> tuple[NodeClass, ...]:
    before = kept.all_of("class")

    def make(named: JsonObject) -> NodeClass:
        made = read_profile(_checked({**_PROFILE_HEAD, **named}, source))
        return with_shared_parts((*before, made))[-1]

    made = [kept.same("class", _named(one), partial(make, _named(one))) for one in entries]
    counted = [partial(_counted, node_class, entry) for node_class, entry in zip(made, entries, strict=True)]
    return kept.same("classes", entries, lambda: with_shared_parts(one() for one in counted))


def _named(entry: JsonObject) -> JsonObject:
    return {"metadata": {"name": entry.get("name")}, "spec": entry.get("spec")}


def load_snapshot(path: str | Path) -> LoadedWorld:
    """Read the snapshot in a file.

    Raises:
        PolicyError: the file cannot be read, or holds no snapshot.
    """
    return Reader().read(_unwrapped(read_snapshot(path)), str(path))


def _unwrapped(data: bytes) -> bytes:
    """Take the snapshot out of its ConfigMap, as `kubectl get configmap -o json` prints it."""
    try:
        content = orjson.loads(data)
    except orjson.JSONDecodeError:
        return data  # which the reader refuses, with the reason
    if get_text(content, "kind") != "ConfigMap":
        return data
    return get_text(get_object(content, "data"), api.WORLD_KEY).encode()


def read_snapshot(path: str | Path) -> bytes:
    """Read a file.

    Raises:
        PolicyError: it cannot be read.
    """
    try:
        return Path(path).read_bytes()
    except OSError as error:
        message = f"cannot be read: {error.strerror}"
        raise PolicyError(message, source=str(path)) from None


def _parse(data: bytes, source: str) -> Document:
    from webhook.config.schema import check_model  # noqa: PLC0415 - pydantic loads slowly, and lint may not need it
    from webhook.config.snapshot_schema import Snapshot  # noqa: PLC0415

    if len(data) > MAX_BYTES:
        message = f"{len(data)} bytes are too many for a world snapshot: at most {MAX_BYTES}"
        raise PolicyError(message, source=source)
    try:
        content = orjson.loads(data)
    except orjson.JSONDecodeError as error:
        message = f"no world snapshot: not valid JSON ({error})"
        raise PolicyError(message, source=source) from None
    if not isinstance(content, dict):
        message = "no world snapshot: write one with numagate world export"
        raise PolicyError(message, source=source)
    document = from_object(content, source)
    check_model(document, Snapshot)
    return document


def _checked(data: JsonObject, source: str) -> Document:
    from webhook.config import grammar  # noqa: PLC0415 - as above

    name = printable(get_text(get_object(data, "metadata"), "name")[:_SHOWN_NAME])
    document = from_object(data, f"{source}: {data['kind']} {name}")
    grammar.check(document)
    return document


def _counted(node_class: NodeClass, entry: JsonObject) -> NodeClass:
    nodes = entry.get("nodes")
    return replace(
        node_class,
        nodes=nodes if isinstance(nodes, int) else 0,
        trusted=entry.get("trusted") is not False,
        verified=entry.get("verified") is True,
        free=_free(get_object(entry, "free")),
    )


def _free(block: JsonObject) -> Free | None:
    if not block:
        return None
    cells = (as_object(cell) for cell in get_list(block, "cells"))
    return Free(
        seen=get_text(block, "seen"),
        cells=tuple({name: Quantity.from_json(amount) for name, amount in cell.items()} for cell in cells),
    )


def _labels(entries: Iterable[object]) -> Iterable[tuple[str, Mapping[str, str]]]:
    for entry in entries:
        labels = _texts(get_object(entry, "labels"))
        for name in get_texts(entry, "names"):
            yield name, labels


def _device_classes(entries: Iterable[object]) -> Iterable[tuple[str, DeviceClass]]:
    for device_class in map(device_class_entry, map(as_object, entries)):
        yield device_class.name, device_class


def _texts(block: JsonObject) -> Mapping[str, str]:
    return {key: get_text(block, key) for key in block}
