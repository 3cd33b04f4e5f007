"""Writes the world snapshot: policies, node classes and namespaces in one compact JSON document.

Never one entry per node. The controller writes it; `snapshot_reader` reads it.
"""

import hashlib
from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import orjson

from webhook.domain import api
from webhook.domain.errors import NumagateError
from webhook.domain.raw import JsonObject
from webhook.domain.raw import as_object
from webhook.domain.raw import get_object
from webhook.domain.raw import get_text
from webhook.sources.newer_fields import IGNORABLE

KIND = "World"
MAX_BYTES = 1024 * 1024
"""No ConfigMap holds more."""

GENERATION_LENGTH = 12
"""Hex digits of a generation."""
_KIB = 1024
_REMEDIES = {
    "policies": "shorten their lists with patterns",
    "namespaces": "let namespaceSelectors of policies ask for labels of few values",
    "classes": "delete NodeProfiles that no node needs",
    "deviceClasses": "delete device classes that nobody claims",
}


@dataclass(frozen=True, slots=True)
class Content:
    """What a snapshot says, in the words of its document.

    `policies` are {metadata: {name}, spec}; `classes` are {name, spec, nodes, trusted, verified, sources, free}, where
    spec is that of a NodeProfile; `namespaces` maps names to labels; `device_classes` are {name, extendedResourceName,
    drivers}.
    """

    policies: Sequence[JsonObject]
    classes: Sequence[JsonObject]
    namespaces: Mapping[str, Mapping[str, str]]
    device_classes: Sequence[JsonObject] = ()


def encode(content: Content, written: datetime, *, ignorable: Sequence[str] = IGNORABLE) -> bytes:
    """Write the document; equal content gives equal bytes, but for `written`."""
    document = {
        "apiVersion": api.API_VERSION,
        "kind": KIND,
        "written": f"{written:%Y-%m-%dT%H:%M:%SZ}",
        "generation": generation_of(content),
        "policies": sorted(content.policies, key=lambda one: get_text(get_object(one, "metadata"), "name")),
        "classes": sorted(content.classes, key=lambda one: get_text(one, "name")),
        "namespaces": _grouped(content.namespaces),
        "deviceClasses": sorted(content.device_classes, key=lambda one: get_text(one, "name")),
        **({"ignorable": list(ignorable)} if ignorable else {}),
    }
    return orjson.dumps(document, option=orjson.OPT_SORT_KEYS)


def check_size(text: str) -> None:
    """Refuse a document that is too large for its ConfigMap, which the API server would refuse with fewer words.

    Raises:
        NumagateError: the document is too large; the text names its largest part.
    """
    size = len(text.encode())
    if size <= MAX_BYTES:
        return
    parts = {key: len(orjson.dumps(value)) for key, value in as_object(orjson.loads(text)).items()}
    largest = max(_REMEDIES, key=lambda part: parts.get(part, 0))
    msg = (
        f"the snapshot is too large for a ConfigMap: {size // _KIB} KiB, of which {largest} are "
        f"{parts[largest] // _KIB} KiB, and {MAX_BYTES // _KIB} KiB fit: {_REMEDIES[largest]}"
    )
    raise NumagateError(msg)


def generation_of(content: Content) -> str:
    """Name what decisions follow from: neither how many nodes a class has, nor what they have free."""
    decisive = [
        sorted((get_text(get_object(one, "metadata"), "name"), text_of(one.get("spec"))) for one in content.policies),
        sorted(map(_decisive, content.classes)),
        sorted((name, text_of(dict(labels))) for name, labels in content.namespaces.items()),
        sorted(text_of(one) for one in content.device_classes),
    ]
    return hashlib.sha256(orjson.dumps(decisive)).hexdigest()[:GENERATION_LENGTH]


def _decisive(entry: JsonObject) -> tuple[str, str, bool, bool]:
    told = get_text(entry, "name"), text_of(entry.get("spec"))
    return (*told, entry.get("trusted") is True, entry.get("verified") is True)


def text_of(value: object) -> str:
    """Write a value as JSON, equal values alike."""
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS).decode()


def _grouped(namespaces: Mapping[str, Mapping[str, str]]) -> list[JsonObject]:
    """Write equal labels once: a cluster has many namespaces and few ways to label them."""
    groups: dict[str, tuple[Mapping[str, str], list[str]]] = {}
    for name, labels in sorted(namespaces.items()):
        groups.setdefault(text_of(dict(labels)), (labels, []))[1].append(name)
    return [{"labels": dict(labels), "names": names} for _, (labels, names) in sorted(groups.items())]
