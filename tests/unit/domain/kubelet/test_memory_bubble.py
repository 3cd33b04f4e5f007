"""How a bubble of memory is divided."""

import pytest
from kubelets import GIB
from kubelets import MIB
from kubelets import Raw
from kubelets import app
from kubelets import init
from kubelets import pod
from kubelets import sidecar

from webhook.domain.kubelet import memory_bubble
from webhook.domain.kubelet.memory_bubble import Blocks
from webhook.domain.kubelet.memory_manager import Block

BARE: Raw = {"name": "bare"}
PREPARE: Raw = {"name": "prepare", "init": True}
PROXY: Raw = {**PREPARE, "name": "proxy", "restartPolicy": "Always"}
BUBBLE = (Block("memory", 0b10, 8 * GIB), Block("hugepages-2Mi", 0b10, 64 * MIB))


@pytest.mark.parametrize(
    ("containers", "problem"),
    [
        ((app("1/8Gi", hugepages_2Mi="64Mi"),), None),
        ((app("1/4Gi"), BARE), None),
        ((app("1/8Gi"), BARE), "container memory requests"),
        ((app("1/4Gi", hugepages_2Mi="64Mi"), BARE), "container hugepages-2Mi requests"),
        ((PROXY, app("1/8Gi")), "container memory requests"),
        ((sidecar("1/8Gi"), PREPARE, app("1/1Gi")), "no memory available"),
        ((init("1/8Gi"), PREPARE, app("1/1Gi")), None),
        ((app("1/4294967296500m"),), "failed to represent quantity as int64"),
    ],
)
def test_nobody_may_share_an_empty_pool(containers: tuple[Raw, ...], problem: str | None) -> None:
    found = memory_bubble.why_empty(pod(*containers), {"memory": 8 * GIB, "hugepages-2Mi": 64 * MIB})

    assert found is None if problem is None else problem in str(found)


def sizes(blocks: Blocks) -> dict[str, int]:
    """Answer Mi by resource; all blocks lie on NUMA node 1."""
    assert {block.mask for block in blocks} <= {0b10}
    return {block.resource: block.size // MIB for block in blocks}


def test_blocks_are_taken_in_order_and_the_rest_is_shared() -> None:
    division = memory_bubble.divide(
        pod(init("1/8Gi"), sidecar("1/1Gi"), PREPARE, PROXY, app("1/2Gi", hugepages_2Mi="64Mi"), BARE), BUBBLE
    )

    assert {name: sizes(blocks) for name, blocks in division.own.items()} == {
        "init": {"memory": 8192},
        "sidecar": {"memory": 1024},
        "app": {"memory": 2048, "hugepages-2Mi": 64},
    }
    assert {name: sizes(blocks) for name, blocks in division.pool.items()} == {
        "prepare": {"memory": 7168, "hugepages-2Mi": 64},
        "proxy": {"memory": 5120},
        "bare": {"memory": 5120},
    }


def test_the_kubelets_numbers_wrap_around_below_zero() -> None:
    division = memory_bubble.divide(pod(app("1/9Gi", hugepages_1Gi="0"), BARE), BUBBLE[:1])

    assert sizes(division.pool["bare"]) == {"memory": ((1 << 64) - GIB) // MIB}


def test_what_a_sidecar_has_beyond_the_pod_is_forgotten() -> None:
    division = memory_bubble.divide(pod(sidecar("1/1Gi", hugepages_2Mi="4Mi"), BARE), BUBBLE[:1])

    assert sizes(division.own["sidecar"]) == {"memory": 1024, "hugepages-2Mi": 4}
    assert sizes(division.pool["bare"]) == {"memory": 7168}
