"""Laws of quantities, compared with exact fractions."""

import math
from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from webhook.domain.quantity import ZERO
from webhook.domain.quantity import Quantity
from webhook.domain.quantity import QuantityError
from webhook.domain.quantity_text import INT64_MAX
from webhook.domain.quantity_text import INT64_MIN

DECIMAL = {"n": -9, "u": -6, "m": -3, "": 0, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
BINARY = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50, "Ei": 60}
EXPONENTS = [f"e{exponent}" for exponent in range(-30, 31)]

NUMBERS = st.from_regex(r"[+-]?([0-9]{1,22}(\.[0-9]{0,22})?|\.[0-9]{1,22})", fullmatch=True)
TEXTS = st.builds(str.__add__, NUMBERS, st.sampled_from([*DECIMAL, *BINARY, *EXPONENTS]))
ANY_TEXT = TEXTS | st.text("0123456789.+-eEinumkKMGTP", max_size=12) | st.text(max_size=8)
QUANTITIES = TEXTS.map(Quantity.parse)
WRITTEN_SHORT = QUANTITIES.filter(lambda quantity: abs(quantity.value) < 10**18)
"""Beyond E, Go forgets the suffix, and so do we."""


def exact(quantity: Quantity) -> Fraction:
    """Answer the value as a fraction."""
    return Fraction(quantity.mantissa) * tens(quantity.exponent)


def tens(exponent: int) -> Fraction:
    """Answer a power of ten."""
    return Fraction(f"1e{exponent}")


def meant(text: str) -> Fraction:
    """Answer what a text says, before rounding and capping."""
    suffix = text.lstrip("+-.0123456789")
    number = Fraction(text.removesuffix(suffix) if suffix else text)
    if suffix in BINARY:
        return number * (1 << BINARY[suffix])
    return number * tens(DECIMAL[suffix] if suffix in DECIMAL else int(suffix[1:]))


def away_from_zero(number: Fraction) -> int:
    """Round to a whole number."""
    return math.ceil(number) if number > 0 else math.floor(number)


@given(TEXTS)
def test_a_text_means_its_value_rounded_to_nano_and_capped_if_binary(text: str) -> None:
    expected = Fraction(away_from_zero(meant(text) * 10**9), 10**9)
    if text.endswith("i"):
        expected = max(Fraction(-INT64_MAX), min(expected, Fraction(INT64_MAX)))
    assert exact(Quantity.parse(text)) == expected


@given(WRITTEN_SHORT)
def test_the_canonical_text_means_the_same_and_is_final(quantity: Quantity) -> None:
    again = Quantity.parse(str(quantity))
    assert again == quantity
    assert str(again) == str(quantity)


@given(QUANTITIES)
def test_whole_and_milli_values_are_rounded_away_from_zero_within_int64(quantity: Quantity) -> None:
    assert quantity.value == max(INT64_MIN, min(away_from_zero(exact(quantity)), INT64_MAX))
    assert quantity.milli == max(INT64_MIN, min(away_from_zero(exact(quantity) * 1000), INT64_MAX))


@given(QUANTITIES, QUANTITIES)
def test_order_and_equality_are_those_of_the_values(one: Quantity, other: Quantity) -> None:
    assert (one < other, one == other, one > other) == (
        exact(one) < exact(other),
        exact(one) == exact(other),
        exact(one) > exact(other),
    )


@given(QUANTITIES, QUANTITIES, st.integers(-1000, 1000))
def test_sums_differences_and_products_are_exact(one: Quantity, other: Quantity, factor: int) -> None:
    assert exact(one + other) == exact(one) + exact(other)
    assert exact(one - other) == exact(one) - exact(other)
    assert exact(one.times(factor)) == exact(one) * factor
    assert one - one == ZERO
    assert one + ZERO == ZERO + one == one


@given(QUANTITIES)
def test_rounding_to_milli_goes_up_by_less_than_one_milli_and_only_once(quantity: Quantity) -> None:
    rounded = quantity.round_up_milli()
    assert 0 <= (exact(rounded) - exact(quantity)) * quantity.sign < Fraction(1, 1000)
    assert rounded.milli == quantity.milli
    assert rounded.round_up_milli() == rounded


@given(ANY_TEXT)
def test_any_text_is_a_quantity_or_refused_on_one_line(text: str) -> None:
    refusal = ""
    try:
        Quantity.parse(text)
    except QuantityError as error:
        refusal = str(error)
    assert text.isascii() or refusal
    assert not refusal or (refusal.isascii() and refusal.isprintable())


@given(st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.lists(st.none()))
def test_any_json_value_is_a_quantity_or_refused(value: object) -> None:
    try:
        quantity = Quantity.from_json(value)
    except QuantityError:
        return
    assert INT64_MIN <= quantity.value <= INT64_MAX
    if isinstance(value, int):
        assert exact(quantity) == value
