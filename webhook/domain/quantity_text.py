"""Reads and writes the text of a quantity exactly as Go does (apimachinery pkg/api/resource), in bounded time.

Exponents are wrapped to 32 bits where Go wraps them, a text that Go takes for canonical is kept as it was written, and
the suffix that Go forgets beyond E is forgotten here too.
"""

import re
from decimal import Decimal
from enum import Enum
from typing import Final
from typing import NamedTuple


class Format(Enum):
    """The family of suffixes that a quantity is written with."""

    DECIMAL_SI = "DecimalSI"
    BINARY_SI = "BinarySI"
    DECIMAL_EXPONENT = "DecimalExponent"


class Number(NamedTuple):
    """What a text says: `mantissa * 10**exponent`; `written` is the text where Go will write it as it is, else ""."""

    mantissa: int
    exponent: int
    format: Format
    written: str = ""


INT64_MAX: Final = 2**63 - 1
INT64_MIN: Final = -(2**63)
DIGITS: Final = 1000
"""A mantissa is kept to this many digits; the rest is rounded away from zero."""

_NANO: Final = -9
_INT64_DIGITS: Final = 18
_FRACTION_DIGITS: Final = 72
"""9 digits for 1n and 60 for the 2**60 of Ei decide; of the others only whether they are zero."""

_DECIMAL: Final = {"n": -9, "u": -6, "m": -3, "": 0, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
_BINARY: Final = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50, "Ei": 60}
_SUFFIXES: Final = {suffix: (exponent, Format.DECIMAL_SI) for suffix, exponent in _DECIMAL.items()} | {
    suffix: (exponent, Format.BINARY_SI) for suffix, exponent in _BINARY.items()
}
_DECIMAL_SUFFIX: Final = {exponent: suffix for suffix, exponent in _DECIMAL.items()}
_BINARY_SUFFIX: Final = {exponent: suffix for suffix, exponent in _BINARY.items()}
# How many digits Go reads into an int64 before a binary suffix; it estimates what the suffix adds.
_BINARY_DIGITS: Final = {exponent: 14 - exponent * 3 // 10 for exponent in _BINARY.values()}

# Possessive, so that a megabyte of digits is read once.
_TEXT: Final = re.compile(r"([+-]?)(0*+)([0-9]*+)(?:\.([0-9]*+))?+([eEinumkKMGTP]*+[+-]?+[0-9]*+)")
_EXPONENT: Final = re.compile(r"[eE]([+-]?)([0-9]+)")


class _Parts(NamedTuple):
    """A text taken apart; `whole` has no leading zeros ("0" if none is left), `blank` means no digits at all."""

    minus: bool
    blank: bool
    whole: str
    fraction: str
    exponent: int
    format: Format


def read(text: str) -> Number | None:
    """Read `text` as resource.ParseQuantity does; None if it is no quantity."""
    parts = _split(text)
    if parts is None:
        return None
    short = _short(parts)
    if short is not None:
        return Number(*short, parts.format, text if _is_kept(parts, short[1]) else "")
    if parts.blank:
        # Go reads "m" and "Ti" as zero; only its path for long numbers notices that there are no digits.
        return None
    return _long_binary(parts) if parts.format is Format.BINARY_SI else _long_decimal(parts)


def read_int64(text: str) -> tuple[int, int] | None:
    """Read mantissa and exponent where resource.ParseQuantity puts `text` into an int64, else None."""
    parts = _split(text)
    return _short(parts) if parts else None


def write(mantissa: int, exponent: int, kind: Format) -> str:
    """Write a number in canonical form (Quantity.CanonicalizeBytes)."""
    if not mantissa:
        return "0"
    sign = "-" if mantissa < 0 else ""
    if kind is Format.BINARY_SI and 0 <= exponent < DIGITS:
        size: int = abs(mantissa) * 10**exponent
        if size >= 1024:  # noqa: PLR2004  # the base of binary suffixes; less is written with decimal ones
            return sign + _binary_text(size)
    return sign + _decimal_text(str(abs(mantissa)), exponent, kind)


def float_text(number: float) -> str:
    """Write a float as Go's encoding/json does."""
    text = repr(number)
    if number and not 1e-6 <= abs(number) < 1e21:  # noqa: PLR2004  # Go's own bounds
        return text.replace("e-0", "e-")
    return f"{Decimal(text):f}".removesuffix(".0")


def divide_up(number: int, divisor: int) -> int:
    """Divide and round away from zero."""
    return -(-number // divisor) if number > 0 else number // divisor


def _split(text: str) -> _Parts | None:
    found = _TEXT.fullmatch(text) if text else None
    suffix = _suffix(found[5]) if found else None
    if found is None or suffix is None:
        return None
    sign, zeros, whole, fraction = found[1], found[2], found[3], found[4] or ""
    return _Parts(sign == "-", not (zeros or whole or fraction), whole or "0", fraction, *suffix)


def _suffix(text: str) -> tuple[int, Format] | None:
    known = _SUFFIXES.get(text)
    found = None if known else _EXPONENT.fullmatch(text)
    digits = found[2].lstrip("0") if found else ""
    if found is None or len(digits) > _INT64_DIGITS + 1:
        return known
    exponent = int(found[1] + (digits or "0"))
    return (_int32(exponent), Format.DECIMAL_EXPONENT) if INT64_MIN <= exponent <= INT64_MAX else None


def _short(parts: _Parts) -> tuple[int, int] | None:
    if parts.format is Format.BINARY_SI:
        if parts.fraction or len(parts.whole) > _BINARY_DIGITS[parts.exponent]:
            return None
        mantissa, exponent = int(parts.whole) << parts.exponent, 0
    else:
        exponent = _int32(parts.exponent - len(parts.fraction))
        if len(parts.whole) + len(parts.fraction) > _INT64_DIGITS or exponent < _NANO:
            return None
        mantissa = int(parts.whole + parts.fraction)
    return -mantissa if parts.minus else mantissa, exponent


def _is_kept(parts: _Parts, exponent: int) -> bool:
    """Whether Go takes the text for canonical and will write it as it was read, be it "+1", "01" or "1.500"."""
    if parts.format is Format.BINARY_SI:
        return int(parts.whole) % 8 != 0
    digits = parts.whole + parts.fraction
    return exponent % 3 == 0 and not digits.endswith("000") and digits[0] != "0"


def _long_decimal(parts: _Parts) -> Number:
    digits = (parts.whole + parts.fraction).lstrip("0")
    exponent = -_int32(len(parts.fraction) + _int32(-parts.exponent))
    kept = digits.rstrip("0")
    if not kept:
        return Number(0, 0, parts.format)
    exponent += len(digits) - len(kept)
    if exponent < _NANO:
        kept, exponent = _round_up(kept, _NANO - exponent, _NANO)
    sign, written = "-" if parts.minus else "", ""
    if len(kept) > DIGITS:
        written = sign + _decimal_text(kept, exponent, parts.format)
        surplus = len(kept) - DIGITS
        kept, exponent = _round_up(kept, surplus, exponent + surplus)
    return Number(int(sign + kept), exponent, parts.format, written)


def _long_binary(parts: _Parts) -> Number:
    if len(parts.whole) > _INT64_DIGITS + 1:
        return Number(-INT64_MAX if parts.minus else INT64_MAX, 0, parts.format)
    fraction = parts.fraction[:_FRACTION_DIGITS]
    rest = bool(parts.fraction[_FRACTION_DIGITS:].strip("0"))
    exact = int(parts.whole + fraction) << parts.exponent
    exponent = max(-len(fraction), _NANO)
    one: int = 10**-exponent
    divisor = 10 ** len(fraction) // one
    size = exact // divisor + (1 if rest or exact % divisor else 0)
    if size > INT64_MAX * one:
        size, exponent = INT64_MAX, 0
    kind = Format.DECIMAL_SI if 0 < size < one else parts.format
    return Number(-size if parts.minus else size, exponent, kind)


def _round_up(digits: str, drop: int, exponent: int) -> tuple[str, int]:
    """Drop the last `drop` digits, which are not all zero; `exponent` is that of the last digit kept."""
    kept = digits[:-drop]
    head = kept.rstrip("9")
    raised = head[:-1] + str(int(head[-1]) + 1) if head else "1"
    return raised, exponent + len(kept) - len(head)


def _decimal_text(digits: str, exponent: int, kind: Format) -> str:
    """Write digits that end in no zero as AsCanonicalBytes does: with an exponent that is a multiple of three."""
    exponent = _int32(exponent)
    zeros = exponent % 3
    exponent = _int32(exponent - zeros)
    if kind is Format.DECIMAL_EXPONENT:
        suffix = f"e{exponent}" if exponent else ""
    else:
        suffix = _DECIMAL_SUFFIX.get(exponent, "")
    return digits + "0" * zeros + suffix


def _binary_text(size: int) -> str:
    power = 0
    while size % 1024 == 0:
        size, power = size // 1024, power + 10
    return f"{size}{_BINARY_SUFFIX.get(power, '')}"


def _int32(number: int) -> int:
    """Wrap around, as Go's exponents do."""
    return (number + 2**31) % 2**32 - 2**31
