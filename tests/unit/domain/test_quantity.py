"""Quantities as values: read, compared, added, rounded, saturated."""

import math
import time

import pytest

from webhook.domain.quantity import ZERO
from webhook.domain.quantity import Quantity
from webhook.domain.quantity import QuantityError
from webhook.domain.quantity_text import DIGITS
from webhook.domain.quantity_text import INT64_MAX
from webhook.domain.quantity_text import INT64_MIN
from webhook.domain.quantity_text import Format

parse = Quantity.parse


@pytest.mark.parametrize(
    ("text", "milli", "value"),
    [
        ("0", 0, 0),
        ("1", 1000, 1),
        ("1500m", 1500, 2),
        ("-1500m", -1500, -2),
        ("0.1m", 1, 1),
        ("-0.1m", -1, -1),
        ("1n", 1, 1),
        ("1999.5m", 2000, 2),
        ("64Gi", 68719476736000, 68719476736),
        ("1.2Gi", 1288490188800, 1288490189),
        ("9223372036854775807", INT64_MAX, INT64_MAX),
        ("9223372036854775", 9223372036854775000, 9223372036854775),
        ("9223372036854776", INT64_MAX, 9223372036854776),
        ("-9223372036854775808", INT64_MIN, INT64_MIN),
        ("1e1000000", INT64_MAX, INT64_MAX),
        ("-1e1000000", INT64_MIN, INT64_MIN),
        ("8Ei", INT64_MAX, INT64_MAX),
    ],
)
def test_milli_and_value_round_away_from_zero_and_saturate(text: str, milli: int, value: int) -> None:
    assert parse(text).milli == milli
    assert parse(text).value == value


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("0", 0),
        ("1.0", 1),
        ("-5", -5),
        ("64Gi", 68719476736),
        ("1.5Gi", 1610612736),
        ("10Ti", 10995116277760),
        ("999999999999999999", 999999999999999999),
        ("1E", 10**18),
        ("9E", 9 * 10**18),
        ("4294967296500m", None),
        ("0.5", None),
        ("100Ti", None),
        ("1Pi", None),
        ("10E", None),
        ("-9E", -9 * 10**18),
        ("-10E", None),
        ("1e100", None),
        ("1e1000000", None),
        ("9223372036854775807", None),
    ],
)
def test_as_int64_answers_what_the_memory_manager_gets(text: str, number: int | None) -> None:
    assert parse(text).as_int64() == number


@pytest.mark.parametrize(
    ("text", "rounded"),
    [
        ("1999.5m", "2"),
        ("0.0001", "1m"),
        ("1n", "1m"),
        ("-1n", "-1m"),
        ("1500m", "1500m"),
        ("1.500", "1.500"),
        ("1.2Gi", "1288490188800m"),
        ("0.0001Ki", "103m"),
        ("1e-5", "1e-3"),
        ("1.23456789", "1235m"),
        ("1e1000000", "10e999999"),
    ],
)
def test_defaulting_rounds_up_to_milli_and_keeps_the_format(text: str, rounded: str) -> None:
    assert str(parse(text).round_up_milli()) == rounded


@pytest.mark.parametrize(
    ("one", "other"),
    [("1", "1000m"), ("1Ki", "1024"), ("1.5Gi", "1536Mi"), ("1e3", "1k"), ("0Gi", "0"), ("-0", "+0"), ("10E", "1e19")],
)
def test_quantities_of_the_same_value_are_equal_whatever_their_text(one: str, other: str) -> None:
    assert parse(one) == parse(other)
    assert hash(parse(one)) == hash(parse(other))
    assert not parse(one) < parse(other)
    assert parse(one) <= parse(other)


ASCENDING = ["-1e1000000", "-1e999999", "-8Ei", "-1.5", "-1", "-1n", "0", "1n", "1m", "1", "1001m", "1Ki", "1M", "1Gi"]
ASCENDING += ["8Ei", "1e20", "1e999999", "2e999999", "1e1000000", "1e2147483647"]


@pytest.mark.parametrize("index", range(len(ASCENDING) - 1))
def test_quantities_are_ordered_by_value(index: int) -> None:
    below = parse(ASCENDING[index])
    for text in ASCENDING[index + 1 :]:
        assert below < parse(text)
        assert parse(text) > below
        assert below != parse(text)


def test_a_quantity_is_not_equal_to_a_number() -> None:
    assert (parse("1") == 1) is False


@pytest.mark.parametrize(("text", "sign"), [("-1n", -1), ("0", 0), ("-0", 0), ("1n", 1), ("1e1000000", 1)])
def test_the_sign_is_that_of_the_value(text: str, sign: int) -> None:
    assert parse(text).sign == sign
    assert parse(text).is_zero is (sign == 0)


@pytest.mark.parametrize(
    ("text", "whole"), [("1", True), ("1000m", True), ("1.5Gi", True), ("0", True), ("1.2Gi", False)]
)
def test_a_whole_quantity_has_no_fraction(text: str, whole: bool) -> None:
    assert parse(text).is_whole is whole


@pytest.mark.parametrize(
    ("one", "other", "total", "difference"),
    [
        ("1", "500m", "1500m", "500m"),
        ("1Gi", "512Mi", "1536Mi", "512Mi"),
        ("1Gi", "1", "1073741825", "1073741823"),
        ("1", "1Ki", "1025", "-1023"),
        ("1k", "24", "1024", "976"),
        ("1e3", "24", "1024", "976"),
        ("0", "1Ki", "1Ki", "-1Ki"),
        ("1Ki", "0", "1Ki", "1Ki"),
        ("+5", "0", "5", "5"),
        ("1e1200", "1e1197", "1001e1197", "999e1197"),
        ("1", "1", "2", "0"),
        ("1n", "1", "1000000001n", "-999999999n"),
        ("1e1000000", "1", "10e999999", "10e999999"),
    ],
)
def test_sums_and_differences_are_exact_and_written_like_their_first_part(
    one: str, other: str, total: str, difference: str
) -> None:
    assert str(parse(one) + parse(other)) == total
    assert str(parse(one) - parse(other)) == difference


def test_a_sum_with_a_vastly_greater_number_is_that_number() -> None:
    assert parse("1") + parse("1e1000000") == parse("1e1000000")
    assert parse("1e1000000") - parse("1") == parse("1e1000000")


def test_a_text_is_read_once_if_it_is_short() -> None:
    assert parse("1536Mi") is parse("1536Mi")
    assert parse("0" * 40 + "1") is not parse("0" * 40 + "1")


def test_sums_start_from_zero() -> None:
    assert str(sum([parse("1Gi"), parse("1Gi")], ZERO)) == "2Gi"


@pytest.mark.parametrize(
    ("text", "factor", "product"), [("500m", 3, "1500m"), ("1Gi", 4, "4Gi"), ("1", -2, "-2"), ("7", 0, "0")]
)
def test_a_quantity_is_multiplied_by_a_whole_number(text: str, factor: int, product: str) -> None:
    assert str(parse(text).times(factor)) == product


@pytest.mark.parametrize(
    ("made", "text"),
    [
        (Quantity.of_milli(1500), "1500m"),
        (Quantity.of_milli(2000), "2"),
        (Quantity.of_count(4), "4"),
        (Quantity.of_count(16000), "16k"),
        (Quantity.of_bytes(68719476736), "64Gi"),
        (Quantity.of_bytes(1000), "1k"),
        (Quantity.of_bytes(1025), "1025"),
        (Quantity.of_bytes(0), "0"),
        (ZERO, "0"),
    ],
)
def test_a_made_quantity_is_written_in_canonical_form(made: Quantity, text: str) -> None:
    assert str(made) == text
    assert repr(made) == f"Quantity.parse({text!r})"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("1.5Gi", "1536Mi"),
        (" 1 ", "1"),
        (16, "16"),
        (2.5, "2500m"),
        (1e6, "1M"),
        (-1, "-1"),
        (0.0, "0"),
        (1e21, "1e+21"),
    ],
)
def test_json_strings_and_numbers_are_read(value: object, text: str) -> None:
    assert str(Quantity.from_json(value)) == text


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (None, "null"),
        (True, "true"),
        (False, "false"),
        (math.nan, "nan"),
        (-math.inf, "-inf"),
        ([], "a value of type list"),
        ({}, "a value of type dict"),
        pytest.param(10**5000, "an integer of 16610 bits", id="a long integer"),
        ("a", "'a'"),
        ("1\n", r"'1\n'"),
        ("\u0663", r"'\u0663'"),
        ("\ud800", r"'\ud800'"),
        ("x" * 32, "'" + "x" * 32 + "'"),
        ("x" * 33, "'" + "x" * 29 + "...'"),
    ],
)
def test_a_refusal_names_the_value_on_one_line_and_the_legal_forms(value: object, shown: str) -> None:
    with pytest.raises(QuantityError) as refusal:
        Quantity.from_json(value)
    assert str(refusal.value) == (
        f"{shown} is not a quantity: write a number, optionally with a suffix "
        "n u m k M G T P E, Ki Mi Gi Ti Pi Ei or an exponent like e3"
    )


def test_parse_knows_no_white_space() -> None:
    for text in (" 1", "1 ", "\t1", "1\n", ""):
        with pytest.raises(QuantityError):
            parse(text)


@pytest.mark.parametrize(
    "text",
    [
        "9" * 1_000_000,
        "9" * 1_000_000 + "x",
        "0." + "1" * 1_000_000 + "Ki",
        "0" * 1_000_000,
        "1e" + "0" * 1_000_000,
        "." * 1_000_000,
        "e" * 1_000_000,
        "1e1000000",
        "1e2147483648",
        "1e-2147483647",
        "1e99999999999999999999999",
    ],
    ids=lambda text: f"{text[:4]}..{text[-4:]}",
)
def test_a_hostile_text_costs_next_to_nothing(text: str) -> None:
    started = time.process_time()
    try:
        quantity = parse(text)
    except QuantityError:
        pass
    else:
        _ = (str(quantity), quantity.milli, quantity.value, quantity.as_int64(), quantity + parse("1"), quantity < ZERO)
    assert time.process_time() - started < 0.25


def test_very_long_numbers_keep_their_text_and_are_greater_than_shorter_ones() -> None:
    text = "9" * 5000
    assert str(parse(text)) == text
    assert parse(text) > parse("9" * DIGITS)
    assert parse("12" + "0" * 4998) < parse("12" * 2500) < parse("13" + "0" * 4998)
    assert parse("-13" + "0" * 4998) < parse("-" + "12" * 2500) < parse("-12" + "0" * 4998)
    assert str(parse("-1" + "0" * 5000 + "1")) == "-1" + "0" * 5000 + "1"
    assert parse(text).round_up_milli() == parse(text)


def test_numbers_stay_bounded_however_often_they_are_multiplied() -> None:
    quantity = parse("3")
    for _ in range(200):
        quantity = quantity.times(10**60 + 1)
    assert len(str(quantity.mantissa)) <= DIGITS + 30
    assert quantity > parse("1e11999")
    assert quantity < parse("4e12000")


def test_a_quantity_has_one_form_for_each_value() -> None:
    assert (Quantity(1000, 0).mantissa, Quantity(1000, 0).exponent) == (1, 3)
    assert (Quantity(0, 7).mantissa, Quantity(0, 7).exponent) == (0, 0)
    assert Quantity(5, 1, Format.BINARY_SI).format is Format.BINARY_SI
