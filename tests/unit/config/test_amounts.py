"""The numbers of a document."""

from collections.abc import Callable

import pytest

from webhook.config.amounts import read_amount
from webhook.config.amounts import read_bytes
from webhook.config.amounts import read_cpu_list
from webhook.config.amounts import read_helper_cpu
from webhook.config.amounts import read_positive_bytes
from webhook.domain.quantity import Quantity


def test_amounts_are_quantities_in_any_spelling() -> None:
    assert read_amount("1500m") == Quantity.parse("1.5")
    assert read_amount(2) == Quantity.parse("2")
    assert read_amount(0.5) == Quantity.parse("500m")


def test_bytes_are_whole_numbers() -> None:
    assert read_bytes("1Gi") == 1 << 30
    assert read_bytes(0) == 0
    assert read_bytes("1.5Ki") == 1536


def test_helper_cpu_is_kept_as_it_is_written() -> None:
    assert str(read_helper_cpu("990m")) == "990m"
    assert read_helper_cpu(1.5) == Quantity.parse("1500m")


@pytest.mark.parametrize(
    ("read", "value", "message"),
    [
        (read_amount, "abc", "'abc' is not a quantity: write a number"),
        (read_amount, True, "true is not a quantity"),
        (read_amount, float("nan"), "is not a quantity"),
        (read_amount, "-1", '"-1" is negative: write 0 or more'),
        (read_bytes, "1.5", '"1.5" is not a whole number: write 2'),
        (read_bytes, "1m", '"1m" is not a whole number: write 1'),
        (read_positive_bytes, "0", '"0" is no memory at all: write at least 1Mi'),
        (read_helper_cpu, "1", '"1" is a whole number of CPUs and would pin cores for the helper: write 990m'),
        (read_helper_cpu, "2000m", '"2000m" is a whole number of CPUs and would pin cores for the helper: write 1990m'),
        (read_helper_cpu, 1.0, "1.0 is a whole number of CPUs"),
        (read_helper_cpu, 0, "0 is no CPU value for a helper"),
        (read_helper_cpu, "1500u", '"1500u" is finer than a milli-CPU: write 2m'),
    ],
)
def test_a_wrong_number_is_refused_with_what_to_write(
    read: Callable[[object], object], value: object, message: str
) -> None:
    with pytest.raises(ValueError, match=r".") as caught:
        read(value)
    assert message in str(caught.value)


def test_a_cpu_list_keeps_its_order() -> None:
    assert read_cpu_list("4-6, 0,9") == (4, 5, 6, 0, 9)
    assert read_cpu_list("") == ()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("0-", '"0-" in "0-" is no CPU id or range: write a list like 0-47,96-143'),
        ("a", '"a" in "a" is no CPU id or range'),
        ("0,,1", '"" in "0,,1" is no CPU id or range'),
        ("-1", '"-1" in "-1" is no CPU id or range'),
        ("٣", "is no CPU id or range"),
        ("0-99999999999", "is no CPU id or range"),
        ("16384", "is no CPU id or range"),
        ("5-2", '"5-2" in "5-2" runs backwards: write 2-5'),
        ("0-3,2", '"0-3,2" names CPU 2 twice: name each once'),
        (",".join(["0-16383"] * 1000), "names CPU 0 twice"),
    ],
    ids=range(10),
)
def test_a_wrong_cpu_list_is_refused(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=r".") as caught:
        read_cpu_list(text)
    assert message in str(caught.value)
