"""The warning that no node has room at the moment, and what a report must say for it."""

from dataclasses import replace

import pytest
from builders import container
from builders import equal
from builders import pod
from builders import ruling
from misfits import P0

from webhook.domain.quantity import Quantity
from webhook.domain.topology import Free
from webhook.engine.judge import judge_pod


def warnings(*cells: dict[str, str]) -> list[str]:
    """Judge a pod of 4 GPUs, 88 CPUs and 900Gi where a class has these cells free."""
    free = Free(
        "2026-11-30T02:59:30Z", tuple({name: Quantity.parse(text) for name, text in cell.items()} for cell in cells)
    )
    known = ruling(replace(P0, nodes=3, free=free))
    judgement = judge_pod(pod(container(**equal("88", "900Gi", 4))), known)
    return [finding.message for finding in judgement.findings if finding.code == "not-now"]


def test_three_and_two_free_gpus_are_not_four_on_one_numa_node() -> None:
    """Case b06, with the cells that its report comes to."""
    wanted = "4 nvidia.com/gpu, 88 CPUs and 900Gi memory"
    told = f"no node has {wanted} free on one NUMA node at the moment (as of 2026-11-30T02:59:30Z)"

    assert warnings({"cpu": "90", "memory": "940Gi", "nvidia.com/gpu": "3"}) == [told]


@pytest.mark.parametrize(
    "cell",
    [
        {"cpu": "90", "memory": "940Gi", "nvidia.com/gpu": "4"},
        {"cpu": "90", "nvidia.com/gpu": "4"},
        {"cpu": "90", "memory": "940Gi"},
    ],
)
def test_what_a_report_does_not_tell_is_not_taken_for_nothing(cell: dict[str, str]) -> None:
    """Nodes without the Static memory manager report no memory, and plug-ins without topology no devices."""
    assert warnings(cell) == []


@pytest.mark.parametrize("cell", [{"cpu": "87", "nvidia.com/gpu": "4"}, {"cpu": "90", "nvidia.com/gpu": "0"}])
def test_one_number_that_is_too_small_is_enough(cell: dict[str, str]) -> None:
    assert len(warnings(cell)) == 1
