"""Which free cells are told: the best, and not too many."""

from nodeobjects import GIB

from webhook.sources.evidence import ReportFacts
from webhook.sources.inventory.free import MOST
from webhook.sources.inventory.free import free_of


def report(*cells: tuple[int, ...], resources: tuple[str, ...] = ("nvidia.com/gpu",), seen: str = "") -> ReportFacts:
    """Write a report that says only what is free, memory in GiB."""
    free = tuple((cpus, memory * GIB, *devices) for cpus, memory, *devices in cells)
    return ReportFacts("node", (), resources=resources, free=free, seen=seen)


def cells_of(*reports: ReportFacts) -> object:
    """Answer the cells alone."""
    found = free_of(reports)
    return found["cells"] if found else None


def test_nothing_is_told_where_no_report_tells_what_is_free() -> None:
    assert free_of([ReportFacts("node", ())]) is None


def test_a_cell_that_another_outdoes_in_everything_is_left_out() -> None:
    assert cells_of(report((44, 430, 3), (40, 430, 3), (90, 900, 0), (44, 430, 3))) == [
        {"cpu": "44", "memory": "430Gi", "nvidia.com/gpu": "3"},
        {"cpu": "90", "memory": "900Gi", "nvidia.com/gpu": "0"},
    ]


def test_the_instant_is_that_of_the_newest_report() -> None:
    found = free_of([report((1, 1, 1), seen="2026-11-30T02:00:00Z"), report((1, 1, 1), seen="2026-11-30T02:59:00Z")])

    assert found is not None
    assert found["seen"] == "2026-11-30T02:59:00Z"


def test_reports_that_name_different_devices_are_compared_by_name() -> None:
    both = report((4, 4, 2, 1), resources=("amd.com/gpu", "nvidia.com/gpu"))

    assert cells_of(report((4, 4, 1)), both) == [
        {"cpu": "4", "memory": "4Gi", "amd.com/gpu": "2", "nvidia.com/gpu": "1"}
    ]


def test_memory_that_is_not_told_is_left_out() -> None:
    assert free_of([ReportFacts("node", (), free=((8, -1),))]) == {"seen": "", "cells": [{"cpu": "8"}]}


def test_of_too_many_cells_those_with_the_same_devices_are_joined() -> None:
    many = [(10 + step, 100 - step, 2) for step in range(MOST)] + [(1, 1, 4)]

    assert cells_of(report(*many)) == [
        {"cpu": "1", "memory": "1Gi", "nvidia.com/gpu": "4"},
        {"cpu": str(10 + MOST - 1), "memory": "100Gi", "nvidia.com/gpu": "2"},
    ]


def test_there_are_never_more_than_can_be_told() -> None:
    cells = cells_of(report(*((100 - step, 100 - step, step) for step in range(2 * MOST))))

    assert isinstance(cells, list)
    assert len(cells) == MOST
