"""Gives plain YAML scalars the JSON values that Kubernetes gives them.

Kubernetes reads YAML through sigs.k8s.io/yaml, which resolves scalars with go.yaml.in/yaml/v2 (resolve.go:resolve):
YAML 1.1 words and octal numbers, YAML 1.2 floats, no base 60, and timestamps that stay text.
"""

import base64
import binascii
import re

_WORDS: dict[str, bool | None] = {
    **dict.fromkeys(("y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"), True),
    **dict.fromkeys(("n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"), False),
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
}
_NOT_FINITE = re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")
_INTEGER = re.compile(r"([-+]?)(0[xX][0-9a-fA-F]+|0[oO][0-7]+|0[bB][01]+|0[0-7]*|[1-9][0-9]*)")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_LONGEST_INTEGER = 80
_PREFIX = "tag:yaml.org,2002:"
_KINDS: dict[str, tuple[type, ...]] = {
    "int": (int,),
    "float": (int, float),
    "bool": (bool,),
    "null": (type(None),),
}
_INTEGRAL = 1e21
"""From here on Go writes a float with an exponent; below, a whole one looks like an integer."""


def resolve(text: str, *, plain: bool, tag: str | None) -> object:
    """Answer the JSON value of a scalar.

    Raises:
        ValueError: JSON has no such value, or the value is not what its tag says.
    """
    short = tag.removeprefix(_PREFIX) if tag else ""
    if short == "binary":
        return _decode(text)
    if short in _KINDS:
        value = plain_value(text)
        if not isinstance(value, _KINDS[short]) or (isinstance(value, bool) and short != "bool"):
            message = f"{text[:40]!r} is no {short}, as its tag says"
            raise ValueError(message)
        return value
    return plain_value(text) if plain and not tag else text


def plain_value(text: str) -> object:
    """Answer the JSON value of an unquoted scalar without a tag.

    Raises:
        ValueError: it is an infinity or not a number, which JSON does not have.

    >>> [plain_value(text) for text in ("2.0", "010", "2e3m", "1E", "yes", "2001-01-01", "1:30")]
    [2, 8, '2e3m', '1E', True, '2001-01-01', '1:30']
    """
    if text in _WORDS:
        return _WORDS[text]
    if _NOT_FINITE.fullmatch(text):
        message = f"{text} is no JSON number: write a finite number, or quote it"
        raise ValueError(message)
    if text[0] == ".":
        return _float(text)
    if text[0] not in "+-0123456789":
        return text
    digits = text.replace("_", "")
    integer = _integer(digits)
    if integer is not None:
        return integer
    number = _float(digits)
    return text if number is digits else number


def number_value(number: float) -> int | float:
    """Answer `number` as Go's JSON writes it: a whole one without a fraction, with zeros behind its shortest digits.

    >>> [number_value(number) for number in (2.0, 0.5, 18446744073709551616.0)]
    [2, 0.5, 18446744073709552000]
    """
    if not number.is_integer() or abs(number) >= _INTEGRAL:
        return number
    mantissa, _, exponent = repr(number).partition("e")
    whole, _, fraction = mantissa.partition(".")
    digits = whole + fraction.rstrip("0")
    return int(digits + "0" * (int(exponent or 0) - len(digits) + len(whole)))


def _integer(digits: str) -> int | None:
    match = _INTEGER.fullmatch(digits) if len(digits) <= _LONGEST_INTEGER else None
    if not match:
        return None
    sign, magnitude = match.groups()
    octal = magnitude[0] == "0" and magnitude.isdecimal()
    value = int(magnitude, 8) if octal else int(magnitude, 0)
    signed = -value if sign == "-" else value
    highest = (1 << 63) - 1 if sign else (1 << 64) - 1
    return signed if -(1 << 63) <= signed <= highest else None


def _float(digits: str) -> int | float | str:
    """Answer the number, or `digits` itself where it is none or out of a float's range."""
    if not _FLOAT.fullmatch(digits):
        return digits
    number = float(digits)
    return digits if number in {float("inf"), float("-inf")} else number_value(number)


def _decode(text: str) -> str:
    try:
        return base64.b64decode("".join(text.split()), validate=True).decode()
    except (binascii.Error, UnicodeDecodeError) as error:
        message = "a !!binary value is no base64 of UTF-8 text"
        raise ValueError(message) from error
