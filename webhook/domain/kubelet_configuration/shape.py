"""Whether a kubelet can decode a configuration at all: the kinds of values that its fields have."""

import re
from collections.abc import Iterable
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from webhook.domain.kubelet_configuration.finding import Finding
from webhook.domain.kubelet_configuration.finding import fault
from webhook.domain.kubelet_configuration.finding import remark
from webhook.domain.kubelet_configuration.known import Known
from webhook.domain.pointer import Path
from webhook.domain.quantity import Quantity
from webhook.domain.quantity import QuantityError
from webhook.domain.raw import JsonObject
from webhook.domain.raw import as_object
from webhook.domain.raw import get_list

API_VERSION: Final = "kubelet.config.k8s.io/v1beta1"
CODE: Final = "unreadable-field"
REPEATED: Final = "repeated-key"
"""The code of a key that is written twice."""

_DURATION: Final = re.compile(r"[-+]?(0|(([0-9]+\.?[0-9]*|\.[0-9]+)(ns|us|µs|μs|ms|s|m|h))+)")
_REMEDIES: Final = {
    "boolean": "write true or false, without quotes",
    "duration": "write a number with a unit in text, such as 10s",
    "integer": "write a whole number, without quotes",
    "number": "write a number, without quotes",
    "object": "write fields below it",
    "text": "put it in quotes",
}
_INTEGERS: Final = range(-(1 << 63), 1 << 63)
"""The widest integers of the configuration; which fields are narrower is not known."""
_LIST, _MAP = "list of ", "map of "


def unreadable(raw: JsonObject, known: Known) -> Iterator[Finding]:
    """Yield each value that encoding/json would refuse; a null is no value, and unknown fields are ignored."""
    for name, kind in known.fields.items():
        yield from _value((name,), kind, raw.get(name))
    for index, entry in enumerate(get_list(raw, "reservedMemory")):
        yield from _reservation(("reservedMemory", index), as_object(entry))


def foreign(api_version: object) -> Iterator[Finding]:
    """Yield a finding where the document is of a version that no kubelet reads."""
    if api_version != API_VERSION:
        yield fault(("apiVersion",), "the kubelet reads one version only", f"write {API_VERSION}", api_version)


def repeated(paths: Iterable[Path]) -> Iterator[Finding]:
    """Yield a remark on each key that is written twice: the kubelet's lenient decoder takes the last one."""
    for path in dict.fromkeys(paths):
        message = "written more than once: the kubelet takes the last one and logs it"
        yield replace(remark(path, message, "keep one"), code=REPEATED)


def _value(path: Path, kind: str, value: object) -> Iterator[Finding]:
    if value is None:
        return
    if kind.startswith(_LIST):
        if not isinstance(value, list):
            yield fault(path, "this is no list", "write its entries behind dashes", value)
            return
        for index, item in enumerate(value):
            yield from _value((*path, index), kind.removeprefix(_LIST), item)
    elif kind.startswith(_MAP):
        if not isinstance(value, dict):
            yield fault(path, "this is no map", "write names and values below it", value)
            return
        for name, item in value.items():
            yield from _value((*path, name), kind.removeprefix(_MAP), item)
    elif not _fits(kind, value):
        yield fault(path, f"this is no {kind}, and the kubelet cannot read the file", _REMEDIES[kind], value)


def _fits(kind: str, value: object) -> bool:
    match kind:
        case "boolean":
            return isinstance(value, bool)
        case "integer":
            return isinstance(value, int) and not isinstance(value, bool) and value in _INTEGERS
        case "number":
            return isinstance(value, int | float) and not isinstance(value, bool)
        case "text":
            return isinstance(value, str)
        case "duration":
            return isinstance(value, str) and _DURATION.fullmatch(value) is not None
    return isinstance(value, dict)


def _reservation(path: Path, entry: JsonObject) -> Iterator[Finding]:
    yield from _value((*path, "numaNode"), "integer", entry.get("numaNode"))
    limits = entry.get("limits")
    yield from _value((*path, "limits"), "object", limits)
    for name, value in as_object(limits).items():
        try:
            Quantity.from_json(0 if value is None else value)
        except QuantityError as error:
            message, _, remedy = str(error).partition(": ")
            yield fault((*path, "limits", name), message, remedy, value)
