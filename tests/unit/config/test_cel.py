"""The rules about quantities; that a real API server agrees is tested with one."""

import pytest

from webhook.config import cel


@pytest.mark.parametrize("rule", [cel.NOT_NEGATIVE, cel.WHOLE, cel.MEMORY, cel.HELPER_CPU])
def test_every_rule_asks_first_whether_it_is_a_number(rule: tuple[str, str]) -> None:
    assert rule[0].startswith("type(self) == int ? ")


@pytest.mark.parametrize("rule", [cel.NOT_NEGATIVE, cel.WHOLE, cel.MEMORY, cel.HELPER_CPU])
def test_no_text_is_read_before_it_is_known_to_be_a_quantity(rule: tuple[str, str]) -> None:
    assert 0 < rule[0].index("isQuantity(self) && ") < rule[0].index("&& quantity(self)")


@pytest.mark.parametrize("rule", [cel.NOT_NEGATIVE, cel.WHOLE, cel.MEMORY, cel.HELPER_CPU])
def test_every_message_is_one_line(rule: tuple[str, str]) -> None:
    assert rule[1].isprintable()
