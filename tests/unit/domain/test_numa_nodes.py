"""The opt-in to several NUMA nodes."""

import pytest

from webhook.domain.numa_nodes import asked_for
from webhook.domain.numa_nodes import parse


@pytest.mark.parametrize(("text", "number"), [("1", 1), ("2", 2), ("64", 64), ("02", 2)])
def test_a_whole_number_is_read(text: str, number: int) -> None:
    assert parse(text) == number


@pytest.mark.parametrize("text", ["", "0", "65", "-1", "2.0", " 2", "two", "²", "٢", "9" * 5000])
def test_anything_else_is_not(text: str) -> None:
    assert parse(text) is None


def test_a_pod_that_says_nothing_readable_asks_for_one() -> None:
    assert asked_for({}) == 1
    assert asked_for({"numagate.io/numa-nodes": "many"}) == 1
    assert asked_for({"numagate.io/numa-nodes": "2"}) == 2
