"""Reads DeviceClass, ResourceClaim and ResourceClaimTemplate objects, of every served version; never raises."""

import re
from collections.abc import Iterator
from typing import Final

from webhook.domain.claims import Claim
from webhook.domain.claims import Constraint
from webhook.domain.claims import DeviceClass
from webhook.domain.claims import DeviceOption
from webhook.domain.claims import DeviceRequest
from webhook.domain.raw import JsonObject
from webhook.domain.raw import as_object
from webhook.domain.raw import get_list
from webhook.domain.raw import get_object
from webhook.domain.raw import get_text
from webhook.domain.raw import get_texts

GROUP: Final = "resource.k8s.io"
_EQUALS: Final = re.compile(
    r"""device\.driver\s*==\s*(["'])(?P<name>[^"']+)\1|(["'])(?P<other>[^"']+)\3\s*==\s*device\.driver"""
)
_IN: Final = re.compile(r"device\.driver\s+in\s+\[(?P<names>[^\]]*)\]")
_TEXT: Final = re.compile(r"""["']([^"']+)["']""")


def read_device_class(obj: JsonObject) -> DeviceClass:
    """Read a DeviceClass; of its CEL selectors only drivers that are named by equality."""
    spec = get_object(obj, "spec")
    return DeviceClass(
        name=get_text(get_object(obj, "metadata"), "name"),
        extended_resource=get_text(spec, "extendedResourceName"),
        drivers=_drivers(spec),
    )


def device_class_entry(entry: JsonObject) -> DeviceClass:
    """Read an entry of a world snapshot: name, extendedResourceName and drivers."""
    return DeviceClass(
        name=get_text(entry, "name"),
        extended_resource=get_text(entry, "extendedResourceName"),
        drivers=get_texts(entry, "drivers"),
    )


def entry_of(device_class: DeviceClass) -> JsonObject:
    """Write an entry of a world snapshot, what is empty left out."""
    entry: dict[str, object] = {"name": device_class.name}
    if device_class.extended_resource:
        entry["extendedResourceName"] = device_class.extended_resource
    if device_class.drivers:
        entry["drivers"] = list(device_class.drivers)
    return entry


def read_claim(obj: JsonObject) -> Claim:
    """Read a ResourceClaim."""
    return _claim(get_object(obj, "spec"))


def read_template(obj: JsonObject) -> Claim:
    """Read the claim that a ResourceClaimTemplate makes for each pod."""
    return _claim(get_object(get_object(obj, "spec"), "spec"))


def _claim(spec: JsonObject) -> Claim:
    devices = get_object(spec, "devices")
    return Claim(
        requests=tuple(
            DeviceRequest(get_text(item, "name"), tuple(_options(item))) for item in get_list(devices, "requests")
        ),
        constraints=tuple(
            Constraint(get_text(item, "matchAttribute"), get_texts(item, "requests"))
            for item in get_list(devices, "constraints")
            if get_text(item, "matchAttribute")
        ),
    )


def _options(request: object) -> Iterator[DeviceOption]:
    """Yield the devices of a request; before v1beta2 they stood in the request itself."""
    alternatives = get_list(request, "firstAvailable")
    for item in alternatives or [get_object(request, "exactly") or request]:
        count = as_object(item).get("count")
        number = count if isinstance(count, int) and count > 0 else 1
        yield DeviceOption(get_text(item, "deviceClassName"), int(number), _drivers(item))


def _drivers(holder: object) -> tuple[str, ...]:
    """Answer the drivers that the selectors of a class or request name."""
    found: list[str] = []
    for selector in get_list(holder, "selectors"):
        expression = get_text(get_object(selector, "cel"), "expression")
        found += [match["name"] or match["other"] for match in _EQUALS.finditer(expression)]
        found += [name for match in _IN.finditer(expression) for name in _TEXT.findall(match["names"])]
    return tuple(dict.fromkeys(found))
