"""An injector: what adds a container to pods behind their author's back, and the setting that sizes that container."""

import re
from collections.abc import Iterator
from collections.abc import Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase

from webhook.domain.pod import Container
from webhook.domain.quantity import Quantity
from webhook.domain.quantity import QuantityError
from webhook.domain.resources import COMPUTE
from webhook.domain.resources import CPU
from webhook.domain.resources import below_whole

Key = tuple[str, str]
"""A side ("limits" or "requests") and a resource."""
_WORD = re.compile(r"[^-./]+|[-./]")
_YES = frozenset({"true", "t", "1", "yes", "y", "on", "enabled", "ingress"})
_NO = frozenset({"false", "f", "0", "no", "n", "off", "disabled", ""})


@dataclass(frozen=True, slots=True)
class Sign:
    """An annotation or label of a pod that calls an injector; `key` is a pattern.

    With `named` its value is a name: every value calls that does not say no. Otherwise only one that says yes. Values
    that match a pattern of `unless` never call.
    """

    key: str
    label: bool = False
    named: bool = False
    unless: tuple[str, ...] = ()

    def calls(self, value: str) -> bool:
        """Tell whether `value` calls the injector."""
        word = value.strip().lower()
        if any(fnmatchcase(word, pattern) for pattern in self.unless):
            return False
        return word not in _NO if self.named else word in _YES


@dataclass(frozen=True, slots=True)
class Injector:
    """Who injects which containers, and how their CPU and memory are set.

    `containers` and `images` are patterns; a container is meant if its name matches, and its image where there are any.
    `keys` are the settings by side and resource: annotations of the pod, or with `place` what else holds them.
    `advice` stands instead of keys where no setting of one value would do.
    With `limits_suffice` the injector makes a missing request the limit. With `all_or_none` a single setting discards
    the injector's other values.
    `signs` say that a pod calls it; `ready` that its own values leave the pod Guaranteed, unless somebody changed them.
    """

    name: str
    containers: tuple[str, ...]
    images: tuple[str, ...] = ()
    keys: Mapping[Key, str] | None = None
    place: str = ""
    advice: str = ""
    limits_suffice: bool = False
    all_or_none: bool = False
    signs: tuple[Sign, ...] = ()
    ready: bool = False
    on_object: bool = False
    """Whether it reads its sign from the workload object instead of its pod template."""

    def injects(self, name: str, image: str) -> bool:
        """Tell whether a container of this name and image is its own."""
        if not any(fnmatchcase(name, pattern) for pattern in self.containers):
            return False
        return not self.images or any(fnmatchcase("/" + image, pattern) for pattern in self.images)

    def adds_to(self, containers: tuple[Container, ...]) -> bool:
        """Tell whether none of its containers is there yet."""
        return not any(self.injects(container.name, container.image) for container in containers)

    def is_called(self, labels: Mapping[str, str], annotations: Mapping[str, str]) -> bool:
        """Tell whether a sign of the pod calls it; one that says no wins."""
        verdicts = [
            (sign.calls(value), value.strip().lower() in _NO)
            for sign in self.signs
            for key, value in (labels if sign.label else annotations).items()
            if fnmatchcase(key, sign.key)
        ]
        return any(yes for yes, _ in verdicts) and not any(no for _, no in verdicts)

    def setting(self, key: Key, value: str, *, both: bool = True) -> str:
        """Say what to write so that one value of its container becomes `value`, or `both` its limit and request."""
        if self.keys is None:
            return self.advice
        names = [self.keys[key]]
        if (both or self.all_or_none) and not self.limits_suffice:
            other = "requests" if key[0] == "limits" else "limits"
            names.append(self.keys[other, key[1]])
        verb = "write" if self.place else "annotate"
        return f"{verb} {_joined(names)}: {value}{self.place and ' in ' + self.place}"

    def unsettled(self, annotations: Mapping[str, str], values: Mapping[str, str]) -> Iterator[tuple[Key, str, str]]:
        """Yield key, value and text for each resource that the pod's annotations do not settle.

        Settled is a limit that is equal to its request, and for CPU not whole. `values` are what to write by default.
        """
        if self.keys is None or self.place:
            if not self.ready:
                told = self.advice or f"write equal requests and limits in {self.place}"
                yield ("limits", CPU), "", told
            return
        for resource in COMPUTE:
            limit = _parsed(annotations.get(self.keys["limits", resource]))
            request = _parsed(annotations.get(self.keys.get(("requests", resource), "")))
            if request is None and self.limits_suffice:
                request = limit
            whole = resource == CPU and limit is not None and limit.is_whole
            if limit is None or limit != request or whole:
                value = values[resource] if limit is None else unpinned(resource, str(limit))
                yield ("limits", resource), value, self.setting(("limits", resource), value)


def unpinned(resource: str, value: str) -> str:
    """Answer the value that an injected container may have: as asked for, but no whole number of CPUs."""
    quantity = _parsed(value)
    if quantity is None or resource != CPU or not quantity.is_whole:
        return value
    return str(below_whole(quantity))


def _parsed(text: str | None) -> Quantity | None:
    """Read a quantity; what is absent, zero or unreadable sets nothing."""
    try:
        quantity = Quantity.from_json(text) if text else None
    except QuantityError:
        return None
    return None if quantity is None or quantity.is_zero else quantity


def _joined(keys: list[str]) -> str:
    """Join one or two keys: in braces where they differ in one word, else the domain written once.

    >>> _joined(["dapr.io/sidecar-cpu-limit", "dapr.io/sidecar-cpu-request"])
    'dapr.io/sidecar-cpu-{limit,request}'
    """
    if len(keys) == 1:
        return keys[0]
    one, other = (_WORD.findall(key) for key in keys)
    if len(one) == len(other) and sum(a != b for a, b in zip(one, other, strict=True)) == 1 < len(one):
        return "".join(a if a == b else f"{{{a},{b}}}" for a, b in zip(one, other, strict=True))
    return f"{keys[0]} and {keys[1].removeprefix(keys[0].rpartition('/')[0] + '/')}"
