"""Masks of NUMA nodes: made, listed, written."""

import pytest

from webhook.domain.kubelet import bitmask
from webhook.domain.kubelet.refusal import TooManyCellsError


def test_a_mask_holds_its_bit_numbers() -> None:
    assert bitmask.of([0, 2, 5]) == 0b100101
    assert list(bitmask.members(0b100101)) == [0, 2, 5]


@pytest.mark.parametrize(
    ("mask", "text"),
    [
        (0b0, "00"),
        (0b1, "01"),
        (0b10, "10"),
        (0b11, "11"),
        (0b100, "100"),
        (0b101, "0101"),
        (0b1000, "1000"),
        (0b10000, "10000"),
        (0b11111, "011111"),
        ((1 << 34) - 1, "1" * 34),
    ],
)
def test_a_mask_is_written_as_the_kubelet_writes_it(mask: int, text: str) -> None:
    assert bitmask.text(mask) == text


def test_masks_of_a_size_come_smallest_number_first() -> None:
    assert list(bitmask.of_size(0b1111, 2)) == [0b0011, 0b0101, 0b0110, 0b1001, 0b1010, 0b1100]
    assert list(bitmask.of_size(0b10101, 2)) == [0b00101, 0b10001, 0b10100]
    assert list(bitmask.of_size(0b111, 3)) == [0b111]
    assert list(bitmask.of_size(0b11, 3)) == []


def test_masks_of_a_size_are_found_among_many_nodes_as_long_as_few_are_looked_at() -> None:
    masks = bitmask.of_size((1 << 34) - 1, 17)

    assert next(masks) == (1 << 17) - 1
    with pytest.raises(TooManyCellsError, match="34 NUMA nodes"):
        list(masks)


def test_subsets_are_all_masks_in_order() -> None:
    assert bitmask.subsets(0b1010) == (0b0, 0b10, 0b1000, 0b1010)
    assert len(bitmask.subsets((1 << 16) - 1)) == 1 << 16
    with pytest.raises(TooManyCellsError, match="17 NUMA nodes"):
        bitmask.subsets((1 << 17) - 1)


@pytest.mark.parametrize(
    ("counts", "wanted", "size"),
    [([4, 8, 2], 8, 1), ([4, 8, 2], 9, 2), ([4, 8, 2], 13, 3), ([4, 8, 2], 99, 3), ([4], 0, 1), ([], 1, 0)],
)
def test_the_least_size_takes_the_largest_counts_first(counts: list[int], wanted: int, size: int) -> None:
    assert bitmask.least_size(counts, wanted) == size
