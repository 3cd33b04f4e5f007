"""Intersections of masks: both ways to find them agree."""

import random

from webhook.domain.kubelet.conjunction import conjunctions


def test_every_intersection_but_the_empty_one_is_found() -> None:
    assert conjunctions(0b111, [{0b011, 0b110}, {0b010, 0b101}]) == {0b010, 0b001, 0b100}
    assert conjunctions(0b111, []) == {0b111}
    assert conjunctions(0b111, [{0b011}, {0b100}]) == set()


def test_many_masks_are_intersected_like_few() -> None:
    chosen = random.Random(1)  # noqa: S311  # repeatable, nothing secret
    universe = (1 << 10) - 1
    first, second = ({chosen.randrange(1, universe) for _ in range(500)} for _ in range(2))

    assert conjunctions(universe, [first, second]) == {a & b for a in first for b in second} - {0}


def test_nodes_need_not_be_numbered_without_gaps() -> None:
    universe = 0b1010101010101010101
    masks = {mask & universe for mask in range(1 << 19) if mask & ~universe == 0 and mask}

    assert conjunctions(universe, [masks, masks]) == masks
