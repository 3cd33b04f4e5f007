"""Kubernetes quantities, exact: amounts of a resource, compared by value (apimachinery pkg/api/resource).

A value is `mantissa * 10**exponent`, so `1e1000000` costs nothing; nothing below 1n exists (rounded away from zero).
Three things differ from Go on purpose: `milli` and `value` saturate where Go wraps around or answers 0; a mantissa is
kept to 1000 digits; and what Go reads only after hours, like `1e2147483648`, is simply huge.

>>> str(Quantity.parse("1.5Gi")), Quantity.parse("1999.5m").round_up_milli().milli
('1536Mi', 2000)
>>> Quantity.parse("1") == Quantity.parse("1000m")
True
"""

from dataclasses import dataclass
from functools import lru_cache
from functools import total_ordering
from math import isfinite
from typing import Final

from webhook.domain.quantity_text import DIGITS
from webhook.domain.quantity_text import INT64_MAX
from webhook.domain.quantity_text import INT64_MIN
from webhook.domain.quantity_text import Format
from webhook.domain.quantity_text import divide_up
from webhook.domain.quantity_text import float_text
from webhook.domain.quantity_text import read
from webhook.domain.quantity_text import read_int64
from webhook.domain.quantity_text import write

_MILLI: Final = -3
_INT64_WIDTH: Final = 19
_BITS: Final = DIGITS * 3322 // 1000 + 64
"""A mantissa longer than this is shortened to `DIGITS` digits."""
_FAR: Final = 2 * DIGITS
"""Exponents that differ by more than this: the mantissas don't matter."""
_CACHED: Final = 32
"""Texts up to this length are read once."""
_FORMS: Final = "a number, optionally with a suffix n u m k M G T P E, Ki Mi Gi Ti Pi Ei or an exponent like e3"


class QuantityError(ValueError):
    """A value is no quantity."""


@total_ordering
@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Quantity:
    """An amount of a resource; made by `parse`, `from_json` or one of the `of_` constructors.

    `written` is the text it was read from where the API server keeps that text as it is, else "".
    """

    mantissa: int
    exponent: int
    format: Format = Format.DECIMAL_SI
    written: str = ""

    def __post_init__(self) -> None:
        """Bring the value into its one form: no trailing zeros, a bounded number of digits."""
        if self.mantissa % 10 == 0 or self.mantissa.bit_length() > _BITS:
            mantissa, exponent = _reduced(self.mantissa, self.exponent)
            object.__setattr__(self, "mantissa", mantissa)
            object.__setattr__(self, "exponent", exponent)

    @staticmethod
    def of_milli(number: int) -> "Quantity":
        """Make `number` thousandths, written with decimal suffixes."""
        return Quantity(number, _MILLI)

    @staticmethod
    def of_count(number: int) -> "Quantity":
        """Make a whole number, written with decimal suffixes."""
        return Quantity(number, 0)

    @staticmethod
    def of_bytes(number: int) -> "Quantity":
        """Make a number of bytes, written with binary suffixes."""
        return Quantity(number, 0, Format.BINARY_SI)

    @staticmethod
    def parse(text: str) -> "Quantity":
        """Read `text` as resource.ParseQuantity does: ASCII only, no white space.

        Raises:
            QuantityError: `text` is no quantity.
        """
        return _parse_once(text) if len(text) <= _CACHED else _parse(text)

    @staticmethod
    def from_json(value: object) -> "Quantity":
        """Read a JSON string or number as Quantity.UnmarshalJSON does: blanks around the text are dropped, as there.

        A float is read from the text that Go clients send for it.

        Raises:
            QuantityError: `value` is no quantity.
        """
        if isinstance(value, str):
            return Quantity.parse(value.strip(" "))
        if isinstance(value, int) and not isinstance(value, bool) and value.bit_length() <= _BITS:
            return Quantity.parse(str(value))
        if isinstance(value, float) and isfinite(value):
            return Quantity.parse(float_text(value))
        raise _refusal(_shown(value))

    @property
    def sign(self) -> int:
        """-1, 0 or 1."""
        return (self.mantissa > 0) - (self.mantissa < 0)

    @property
    def is_zero(self) -> bool:
        """Whether the value is zero."""
        return self.mantissa == 0

    @property
    def is_whole(self) -> bool:
        """Whether the value has no fraction."""
        return self.exponent >= 0

    @property
    def milli(self) -> int:
        """The value in thousandths, rounded away from zero, within int64 (Quantity.MilliValue)."""
        return _within_int64(self.mantissa, self.exponent - _MILLI)

    @property
    def value(self) -> int:
        """The value as a whole number, rounded away from zero, within int64 (Quantity.Value)."""
        return _within_int64(self.mantissa, self.exponent)

    def as_int64(self) -> int | None:
        """Answer what Quantity.AsInt64 answers on a node, which reads the canonical text; None where it fails.

        It fails for fractions and, though they would fit, for numbers too long for Go's short path (`100Ti`).
        """
        return _int64_once(str(self)) if self.exponent >= 0 else None

    def round_up_milli(self) -> "Quantity":
        """Round away from zero to thousandths, as the API server's defaulting does (SetDefaults_ResourceList)."""
        if self.exponent >= _MILLI:
            return self
        return Quantity(divide_up(self.mantissa, 10 ** (_MILLI - self.exponent)), _MILLI, self.format)

    def times(self, number: int) -> "Quantity":
        """Multiply by a whole number."""
        return Quantity(self.mantissa * number, self.exponent, self.format)

    def __add__(self, other: "Quantity") -> "Quantity":
        """Add; the sum is written like the first of both that is not zero."""
        if not (self.mantissa and other.mantissa):
            same = self if self.mantissa else other
            return Quantity(same.mantissa, same.exponent, same.format) if same.written else same
        if abs(self.exponent - other.exponent) > _FAR:
            larger = self if self.exponent > other.exponent else other
            return Quantity(larger.mantissa, larger.exponent, self.format)
        low = min(self.exponent, other.exponent)
        return Quantity(_shifted(self, low) + _shifted(other, low), low, self.format)

    def __sub__(self, other: "Quantity") -> "Quantity":
        """Subtract; the difference is written like the first of both that is not zero."""
        return self + other.times(-1)

    def __eq__(self, other: object) -> bool:
        """Compare by value: "1" equals "1000m"."""
        if not isinstance(other, Quantity):
            return NotImplemented
        return self.mantissa == other.mantissa and self.exponent == other.exponent

    def __lt__(self, other: "Quantity") -> bool:
        """Compare by value."""
        gap = self.exponent - other.exponent
        if gap == 0 or self.sign != other.sign:
            return self.mantissa < other.mantissa
        if abs(gap) > _FAR:
            return (gap < 0) == (self.mantissa > 0)
        low = min(self.exponent, other.exponent)
        return _shifted(self, low) < _shifted(other, low)

    def __hash__(self) -> int:
        """Hash by value."""
        return hash((self.mantissa, self.exponent))

    def __str__(self) -> str:
        """Write the canonical text (Quantity.String)."""
        return self.written or write(self.mantissa, self.exponent, self.format)

    def __repr__(self) -> str:
        """Show the canonical text."""
        return f"Quantity.parse({str(self)!r})"


def _parse(text: str) -> Quantity:
    number = read(text)
    if number is None:
        raise _refusal(_shown(text))
    return Quantity(*number)


def _refusal(shown: str) -> QuantityError:
    return QuantityError(f"{shown} is not a quantity: write {_FORMS}")


def _shown(value: object) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return str(value).lower()
        case str():
            return ascii(value if len(value) <= _CACHED else value[: _CACHED - 3] + "...")
        case int():
            return f"an integer of {value.bit_length()} bits"
        case float():
            return str(value)
    return f"a value of type {type(value).__name__}"


def _int64(text: str) -> int | None:
    found = read_int64(text)
    if found is None:
        return None
    mantissa, exponent = found
    number: int = mantissa * 10 ** min(exponent, _INT64_WIDTH)
    return number if INT64_MIN <= number <= INT64_MAX else None


def _shifted(quantity: Quantity, exponent: int) -> int:
    """Answer the mantissa at a lower exponent."""
    mantissa: int = quantity.mantissa * 10 ** (quantity.exponent - exponent)
    return mantissa


def _within_int64(mantissa: int, exponent: int) -> int:
    number = mantissa * 10 ** min(exponent, _INT64_WIDTH) if exponent >= 0 else divide_up(mantissa, 10**-exponent)
    return max(INT64_MIN, min(number, INT64_MAX))


def _reduced(mantissa: int, exponent: int) -> tuple[int, int]:
    if mantissa == 0:
        return 0, 0
    if mantissa.bit_length() > _BITS:
        surplus = mantissa.bit_length() * 301 // 1000 - DIGITS
        mantissa, exponent = divide_up(mantissa, 10**surplus), exponent + surplus
    while mantissa % 10 == 0:
        mantissa, exponent = mantissa // 10, exponent + 1
    return mantissa, exponent


_parse_once = lru_cache(maxsize=4096)(_parse)
_int64_once = lru_cache(maxsize=4096)(_int64)

ZERO: Final = Quantity(0, 0)
