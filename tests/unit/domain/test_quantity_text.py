"""The text of quantities: what is read, what is kept, what is written."""

import pytest

from webhook.domain.quantity import Quantity
from webhook.domain.quantity_text import Format
from webhook.domain.quantity_text import Number
from webhook.domain.quantity_text import divide_up
from webhook.domain.quantity_text import float_text
from webhook.domain.quantity_text import read
from webhook.domain.quantity_text import read_int64
from webhook.domain.quantity_text import write

DECIMAL, BINARY, EXPONENT = Format.DECIMAL_SI, Format.BINARY_SI, Format.DECIMAL_EXPONENT


def canonical(text: str) -> str:
    """Read and write a text."""
    return str(Quantity.parse(text))


@pytest.mark.parametrize(
    ("suffix", "exponent"),
    [("n", -9), ("u", -6), ("m", -3), ("", 0), ("k", 3), ("M", 6), ("G", 9), ("T", 12), ("P", 15), ("E", 18)],
)
def test_every_decimal_suffix_is_read(suffix: str, exponent: int) -> None:
    assert read(f"3{suffix}") == Number(3, exponent, DECIMAL, f"3{suffix}")


@pytest.mark.parametrize(("suffix", "power"), [("Ki", 10), ("Mi", 20), ("Gi", 30), ("Ti", 40), ("Pi", 50), ("Ei", 60)])
def test_every_binary_suffix_is_read_and_written(suffix: str, power: int) -> None:
    assert read(f"3{suffix}") is not None
    assert write(3 << power, 0, BINARY) == f"3{suffix}"


@pytest.mark.parametrize("text", ["1e3", "1E3", "1e+3", "1E+03", "1.5e3", "5e-3", "7e0", "7e-0"])
def test_exponents_are_read_with_e_or_capital_e_and_a_sign(text: str) -> None:
    number = read(text)
    assert number is not None
    assert number.format is EXPONENT
    assert number.mantissa * 10.0**number.exponent == pytest.approx(float(text))


@pytest.mark.parametrize(
    "text",
    [
        *("", "a", "1K", "1ki", "1KI", "1i", "1mi", "1mm", "1e", "1e+", "1e-", "1e5e5", "1ee5", "1e5.5", "1+5", "1-"),
        *(
            "--1",
            "+-1",
            "1.5.5",
            "1,5",
            "1_0",
            "0x10",
            "0b1",
            "NaN",
            "sNaN",
            "Inf",
            " 1",
            "1 ",
            "1\n",
            "\x001",
            "\uff11",
        ),
        *(
            "\u0663",
            "1\u0660",
            "1Mi5",
            "5E+",
            "5EE",
            "1e9223372036854775808",
            "1e-9223372036854775809",
            "1e" + "9" * 50,
        ),
    ],
)
def test_a_text_that_is_no_quantity_is_not_read(text: str) -> None:
    assert read(text) is None
    assert read_int64(text) is None


@pytest.mark.parametrize("text", ["+", "-", ".", "+.", "m", "Ki", "Ti", "e3", ".e5", "e-9", "-M"])
def test_no_digits_at_all_are_zero_where_go_reads_them_so(text: str) -> None:
    assert canonical(text) == "0"


@pytest.mark.parametrize("text", ["Pi", "Ei", ".Pi", "+Ei", "e-10", ".e-10", "-e-400"])
def test_no_digits_at_all_are_refused_where_go_takes_its_long_path(text: str) -> None:
    assert read(text) is None


@pytest.mark.parametrize(
    "text", ["+5", "007", "5.", "1.500", "1.500k", "1e3", "1E3", "1e+03", "001Mi", "+1Mi", "1.Mi", "-5"]
)
def test_a_text_that_go_takes_for_canonical_is_kept(text: str) -> None:
    assert canonical(text) == text


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("0.5", "500m"),
        ("0.500", "500m"),
        ("01.50", "1500m"),
        ("1.000", "1"),
        ("1000", "1k"),
        ("1500", "1500"),
        ("1000k", "1M"),
        ("0.001k", "1"),
        ("1e1", "10"),
        ("1e4", "10e3"),
        ("1e-4", "100e-6"),
        ("0.1n", "1n"),
        ("-0.1n", "-1n"),
        ("1.1n", "2n"),
        ("9.9n", "10n"),
        ("999999999.9n", "1"),
        ("99.0000000001u", "99001n"),
        ("1024", "1024"),
        ("1024Ki", "1Mi"),
        ("1.5Gi", "1536Mi"),
        ("-1.5Gi", "-1536Mi"),
        ("1.2Gi", "1288490188800m"),
        ("0.5Ki", "512"),
        ("0.0001Ki", "102400u"),
        ("-0.0001Ki", "-102400u"),
        ("8Mi", "8Mi"),
        ("0Ei", "0"),
        ("0e-20", "0"),
        ("-0.00000000000000000000", "0"),
        ("-0", "0"),
        ("8Ei", "9223372036854775807"),
        ("-8Ei", "-9223372036854775807"),
        ("-99999999999999999999Ki", "-9223372036854775807"),
        ("7.999999999999999999999Ei", "9223372036854775807"),
        ("99999999999999999999Ki", "9223372036854775807"),
        ("1." + "0" * 200 + "1Ki", "1024000000001n"),
        ("1000000000000000000000", "1"),
        ("1000E", "1"),
        ("1e1000000", "10e999999"),
        ("10e2147483647", "10e2147483647"),
        ("1e4294967297", "10"),
        ("1e9223372036854775807", "100e-3"),
        ("1e-9223372036854775808", "1e-9223372036854775808"),
        ("1e-4294967297", "100e-3"),
        ("1.5e-2147483648", "150e2147483646"),
        ("100000000000000000000m", "100P"),
    ],
)
def test_other_texts_are_written_in_canonical_form(text: str, written: str) -> None:
    assert canonical(text) == written


def test_less_than_one_with_a_binary_suffix_becomes_decimal() -> None:
    assert read("0.0001Ki") == Number(1024, -4, DECIMAL)
    assert read("-0.0001Ki") == Number(-1024, -4, DECIMAL)
    assert read("0.0010Ki") == Number(10240, -4, BINARY)
    assert read("0.0009765625Ki") == Number(10**9, -9, BINARY)
    assert read("0.0Ei") == Number(0, -1, BINARY)


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("99999999999Ki", (99999999999 << 10, 0)),
        ("100000000000Ki", None),
        ("99999Gi", (99999 << 30, 0)),
        ("100000Gi", None),
        ("99Ti", (99 << 40, 0)),
        ("100Ti", None),
        ("0Pi", None),
        ("1.5Ki", None),
        ("123456789012345678", (123456789012345678, 0)),
        ("1234567890123456789", None),
        ("0.12345678901234567", None),
        ("0.123456789", (123456789, -9)),
        ("-7k", (-7, 3)),
        ("1e-10", None),
    ],
)
def test_short_numbers_are_those_that_go_keeps_in_an_int64(text: str, number: tuple[int, int] | None) -> None:
    assert read_int64(text) == number


def test_formats_have_their_names_in_go() -> None:
    assert [kind.value for kind in Format] == ["DecimalSI", "BinarySI", "DecimalExponent"]


@pytest.mark.parametrize(
    ("mantissa", "exponent", "kind", "text"),
    [
        (1023, 0, BINARY, "1023"),
        (1024, 0, BINARY, "1Ki"),
        (-1024, 0, BINARY, "-1Ki"),
        (-1023, 0, BINARY, "-1023"),
        (1, 4, BINARY, "10000"),
        (1024, 3, BINARY, "1000Ki"),
        (5, -1, BINARY, "500m"),
        (1, 1000, BINARY, "10"),
        (1 << 70, 0, BINARY, "1"),
        (12, 5, DECIMAL, "1200k"),
        (12, 21, DECIMAL, "12"),
        (12, 5, EXPONENT, "1200e3"),
        (12, 0, EXPONENT, "12"),
        (0, 0, BINARY, "0"),
    ],
)
def test_numbers_are_written_as_by_go(mantissa: int, exponent: int, kind: Format, text: str) -> None:
    assert write(mantissa, exponent, kind) == text


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (0.0, "0"),
        (-0.0, "-0"),
        (1.0, "1"),
        (0.5, "0.5"),
        (1e-6, "0.000001"),
        (9e-7, "9e-7"),
        (1.5e-10, "1.5e-10"),
        (1e20, "100000000000000000000"),
        (1e21, "1e+21"),
        (-1e21, "-1e+21"),
    ],
)
def test_floats_are_written_as_by_go(number: float, text: str) -> None:
    assert float_text(number) == text


@pytest.mark.parametrize(
    ("number", "divisor", "result"), [(10, 5, 2), (11, 5, 3), (-10, 5, -2), (-11, 5, -3), (0, 5, 0)]
)
def test_division_rounds_away_from_zero(number: int, divisor: int, result: int) -> None:
    assert divide_up(number, divisor) == result
