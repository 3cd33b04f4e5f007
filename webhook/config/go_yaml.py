"""Reads plain YAML scalars as Kubernetes' own programs do: go.yaml.in/yaml/v2 behind sigs.k8s.io/yaml.

It is neither YAML 1.1 nor 1.2: `1e9` and `0o17` are numbers, `yes` is a boolean, `1:30` is text.
"""

import math
import re
from types import MappingProxyType
from typing import Any
from typing import Final

import yaml

_TAG: Final = "tag:yaml.org,2002:"
_LOADER: type[Any] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_WORDS: Final = MappingProxyType(
    {
        **dict.fromkeys(("y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"), True),
        **dict.fromkeys(("n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"), False),
        **dict.fromkeys(("", "~", "null", "Null", "NULL")),
        **dict.fromkeys((".nan", ".NaN", ".NAN"), math.nan),
        **dict.fromkeys((".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"), math.inf),
        **dict.fromkeys(("-.inf", "-.Inf", "-.INF"), -math.inf),
    }
)
_INTEGER: Final = re.compile(r"([-+]?)(?:0[xX]([0-9a-fA-F]+)|0[oO]?([0-7]+)|0[bB]([01]+)|(0|[1-9][0-9]*))", re.ASCII)
_BASES: Final = ((2, 16), (3, 8), (4, 2), (5, 10))
_FLOAT: Final = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?", re.ASCII)
_BETWEEN_DIGITS: Final = re.compile(r"(?<=[0-9])_(?=[0-9])", re.ASCII)
_DATE: Final = re.compile(r"[0-9]{4}-", re.ASCII)
_INTEGERS: Final = range(-(1 << 63), 1 << 64)
_WRITTEN_OUT: Final = 1e21
"""From here on Go's JSON writes a float with an exponent, and below it a whole one as an integer."""


def scalar(text: str) -> str | float | bool | None:
    """Answer the value of a plain scalar (resolve.go:resolve).

    >>> [scalar(text) for text in ("1e9", "0o17", "017", "1_000", "yes", "1:30", "2026-01-02", "1e999", "08")]
    [1000000000.0, 15, 15, 1000, True, '1:30', '2026-01-02', '1e999', 8.0]
    """
    if text in _WORDS:
        return _WORDS[text]
    if text[:1] not in {*"+-.0123456789"} or _DATE.match(text):
        return text
    plain = _BETWEEN_DIGITS.sub("", text) if text[0] == "." else text.replace("_", "")
    integer = _integer(plain)
    if integer is not None:
        return integer
    if _FLOAT.fullmatch(plain) and math.isfinite(number := float(plain)):
        return number
    return text


def construct(kind: str, text: str, *, is_json: bool) -> object:
    """Answer the value that reaches the program's JSON decoder, of a scalar that was resolved or tagged as `kind`.

    In a file of JSON a float stays one; from YAML a whole one becomes an integer on the way.

    Raises:
        ValueError: it has a tag that does not fit, or is a number that JSON has not.
    """
    value = scalar(text)
    found = _kind(value)
    if found != kind and not (kind == "float" and found == "int"):
        message = f"{text} is no {kind}"
        raise ValueError(message)
    if isinstance(value, float):
        if not math.isfinite(value):
            message = f"{text} is no number of JSON"
            raise ValueError(message)
        return int(value) if not is_json and value.is_integer() and abs(value) < _WRITTEN_OUT else value
    return value


def key(kind: str, text: str) -> str | None:
    """Answer a map's key as text, None for a null, which is no key (sigs.k8s.io/yaml:convertToJSONableObject)."""
    value = scalar(text) if kind in {"bool", "int", "null"} else text
    if isinstance(value, bool):
        return str(value).lower()
    return None if value is None else str(value)


class GoLoader(_LOADER):  # type: ignore[misc]  # one of two classes
    """Composes nodes whose plain scalars have the tags that Go's reader gives them."""

    def resolve(self, kind: Any, value: Any, implicit: Any) -> str:
        """Answer the tag of a node that was written without one."""
        if kind is yaml.ScalarNode and implicit[0] and value != "<<":
            return _TAG + _kind(scalar(value))
        return str(super().resolve(kind, value, implicit))


def _integer(text: str) -> int | None:
    match = _INTEGER.fullmatch(text)
    if match is None or len(text) > 70:  # noqa: PLR2004 - 64 bits in base 2, with sign and prefix
        return None
    digits, base = next((match[group], base) for group, base in _BASES if match[group] is not None)
    value = -int(digits, base) if match[1] == "-" else int(digits, base)
    return value if value in _INTEGERS else None


def _kind(value: object) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "bool"
        case int():
            return "int"
        case float():
            return "float"
    return "str"
