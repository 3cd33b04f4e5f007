"""Hints: the masks that serve, and which of them are preferred."""

from webhook.domain.kubelet.hints import IMPOSSIBLE
from webhook.domain.kubelet.hints import Hints

AT_LEAST_NODE_1 = Hints(0b111, 1, lambda mask: bool(mask & 0b010))


def test_a_hint_is_preferred_if_it_serves_and_is_as_narrow_as_can_be() -> None:
    assert AT_LEAST_NODE_1.prefers(0b010)
    assert not AT_LEAST_NODE_1.prefers(0b001)
    assert not AT_LEAST_NODE_1.prefers(0b011)


def test_a_mask_beyond_the_cells_has_no_hint() -> None:
    assert not Hints(0b011, 1, lambda _: True).prefers(0b100)


def test_wider_masks_are_preferred_where_the_option_says_so() -> None:
    wide = Hints(0b111, 1, lambda _: True, wide=lambda mask: mask == 0b110)

    assert [mask for mask in range(1, 8) if wide.prefers(mask)] == [0b001, 0b010, 0b100, 0b110]


def test_all_hints_are_listed_narrowest_first() -> None:
    assert list(AT_LEAST_NODE_1.ascending()) == [0b010, 0b011, 0b110, 0b111]
    assert AT_LEAST_NODE_1.every() == {0b010, 0b011, 0b110, 0b111}


def test_an_impossible_request_has_no_hint() -> None:
    assert list(IMPOSSIBLE.ascending()) == []
    assert not IMPOSSIBLE.prefers(0b1)
