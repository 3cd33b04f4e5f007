"""CPU lists: read, written, refused."""

import pytest

from webhook.domain import cpuset


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("", ()),
        ("0", (0,)),
        ("0-3", (0, 1, 2, 3)),
        ("0-3,8", (0, 1, 2, 3, 8)),
        ("8,0-3", (0, 1, 2, 3, 8)),
        ("1-1", (1,)),
        ("0,0,0-1", (0, 1)),
        ("007", (7,)),
        ("8191", (8191,)),
    ],
)
def test_a_cpu_list_is_read(text: str, ids: tuple[int, ...]) -> None:
    bits = cpuset.parse(text)
    assert cpuset.ids(bits) == ids
    assert bits == sum(1 << number for number in ids)


@pytest.mark.parametrize(
    ("bits", "text"),
    [(0, ""), (0b1, "0"), (0b10, "1"), (0b11, "0-1"), (0b1111_0000_1011, "0-1,3,8-11"), (1 << 8191, "8191")],
)
def test_a_cpu_set_is_written_in_ranges(bits: int, text: str) -> None:
    assert cpuset.format(bits) == text
    assert cpuset.parse(text) == bits


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a", "'a' is no CPU or range of CPUs: write a list like 0-3,8"),
        ("0-", "'0-' is no CPU or range of CPUs: write a list like 0-3,8"),
        ("-1", "'-1' is no CPU or range of CPUs: write a list like 0-3,8"),
        ("0,", "'' is no CPU or range of CPUs: write a list like 0-3,8"),
        (" 0", "' 0' is no CPU or range of CPUs: write a list like 0-3,8"),
        ("0\n", r"'0\n' is no CPU or range of CPUs: write a list like 0-3,8"),
        ("0-3:2", "'0-3:2' is no CPU or range of CPUs: write a list like 0-3,8"),
        ("\u0663", r"'\u0663' is no CPU or range of CPUs: write a list like 0-3,8"),
        ("9" * 32, f"'{'9' * 32}' is no CPU or range of CPUs: write a list like 0-3,8"),
        ("9" * 33, f"'{'9' * 29}...' is no CPU or range of CPUs: write a list like 0-3,8"),
        ("3-0", "the range 3-0 runs backwards: write 0-3"),
        ("0-8192", "CPU 8192 is too high: the highest id is 8191"),
        ("999999999", "CPU 999999999 is too high: the highest id is 8191"),
    ],
)
def test_what_is_no_cpu_list_is_refused_with_the_remedy(text: str, message: str) -> None:
    with pytest.raises(ValueError) as refusal:  # noqa: PT011 - the message is compared below
        cpuset.parse(text)
    assert str(refusal.value) == message
