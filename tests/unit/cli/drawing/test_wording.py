"""The words that all outputs share."""

from dataclasses import replace

import pytest

from webhook.cli.drawing import wording
from webhook.domain.kubelet.admit import Holding
from webhook.domain.kubelet.admit import MemoryBlock
from webhook.domain.kubelet.admit import Placement
from webhook.domain.kubelet.trace import Hint
from webhook.domain.kubelet.trace import HintList
from webhook.domain.kubelet.trace import Merge


@pytest.mark.parametrize(("owner", "sign"), [(0, "A"), (25, "Z"), (26, "a"), (51, "z"), (52, "#"), (999, "#")])
def test_containers_have_letters_as_long_as_there_are_any(owner: int, sign: str) -> None:
    assert wording.letter(owner) == sign


@pytest.mark.parametrize(
    ("number", "text"), [(0, "0"), (1023, "1023"), (1 << 20, "1Mi"), (3 << 29, "1.5Gi"), (1 << 40, "1024Gi")]
)
def test_bytes_are_written_for_people(number: int, text: str) -> None:
    assert wording.size(number) == text


@pytest.mark.parametrize(
    ("count", "complete", "text"), [(1, True, ""), (9, True, "+8 more"), (9, False, "+8 more at least")]
)
def test_hints_that_are_not_listed_are_counted(count: int, complete: bool, text: str) -> None:
    assert wording.more(HintList("cpu", "cpu", (Hint((0,), preferred=True),), count, 1, complete)) == text


@pytest.mark.parametrize(
    ("cells", "preferred", "admitted", "text"),
    [
        ((0,), True, True, "preferred: admitted"),
        ((0, 1), False, False, "not preferred: refused"),
        (None, True, True, "no affinity, preferred: admitted"),
        (None, False, False, "no affinity, not preferred: refused"),
    ],
)
def test_a_merge_ends_in_a_word(cells: tuple[int, ...] | None, preferred: bool, admitted: bool, text: str) -> None:
    assert wording.outcome(Merge("a", (), cells, preferred, admitted)) == text


@pytest.mark.parametrize(("number", "noun"), [(0, "pods"), (1, "pod"), (2, "pods")])
def test_replicas_are_counted_in_words(number: int, noun: str) -> None:
    assert wording.replicas(number) == f"an empty node takes {number} such {noun}, aligned"


@pytest.mark.parametrize(
    ("pods", "told"),
    [
        (None, ""),
        (1, ""),
        (2, ": the 2 pods of this object need 1 such node"),
        (7, ": the 7 pods of this object need 4 such nodes"),
    ],
)
def test_the_pods_of_an_object_are_divided_by_what_a_node_takes(pods: int | None, told: str) -> None:
    assert wording.replicas(2, pods) == f"an empty node takes 2 such pods, aligned{told}"


def test_where_a_node_takes_none_no_number_of_nodes_is_told() -> None:
    assert wording.replicas(0, 4) == "an empty node takes 0 such pods, aligned"


def test_a_placement_names_cpus_memory_and_devices() -> None:
    blocks = (MemoryBlock("memory", (0, 1), 64 << 30), MemoryBlock("hugepages-2Mi", (0,), 0))
    placement = Placement("a", 0b1111, (0,), blocks, {"nvidia.com/gpu": ("g0", "g1")}, (0,), "01/true")

    assert list(wording.placed(placement)) == [
        "CPUs 0-3 on NUMA node 0",
        "memory 64Gi on NUMA nodes 0-1",
        "hugepages-2Mi left to a later container, on NUMA node 0",
        "nvidia.com/gpu g0, g1",
    ]


def test_what_a_container_shares_in_its_pod_is_told_apart() -> None:
    pool = Holding(0b1100, (MemoryBlock("memory", (1,), 1 << 30),))
    sharing = Placement("b", 0, (1,), (), {}, (), "10/true", pool)

    assert list(wording.placed(sharing)) == [
        f"CPUs 2-3 shared in its pod, on {wording.nodes((1,))}",
        f"memory 1Gi shared in its pod, on {wording.nodes((1,))}",
    ]
    assert list(wording.placed(replace(sharing, pool=Holding(0, ())))) == []
