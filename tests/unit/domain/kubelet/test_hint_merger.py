"""The merge of hints: each policy against the kubelet's own way, which tries every combination."""

import random
from collections.abc import Sequence
from itertools import product

import pytest

from webhook.domain.kubelet.distances import Distances
from webhook.domain.kubelet.hint_merger import HintMerger
from webhook.domain.kubelet.hints import IMPOSSIBLE
from webhook.domain.kubelet.hints import Affinity
from webhook.domain.kubelet.hints import Hints
from webhook.domain.kubelet.refusal import RefusedError

CELLS = 0b111


def hints(masks: set[int], least: int) -> Hints:
    """Make hints for exactly these masks."""
    return Hints(CELLS, least, masks.__contains__)


ONE = hints({0b001, 0b011, 0b101, 0b111}, 1)
ANY = hints(set(range(1, 8)), 1)
TWO = hints({0b011, 0b101, 0b110, 0b111}, 2)
LAST = hints({0b100}, 1)


@pytest.mark.parametrize(
    ("policy", "lists", "expected"),
    [
        ("single-numa-node", [ONE, ANY], Affinity(0b001, preferred=True)),
        ("single-numa-node", [ONE, LAST], Affinity(None, preferred=False)),
        ("single-numa-node", [ANY, TWO], Affinity(None, preferred=False)),
        ("single-numa-node", [None, None], Affinity(None, preferred=True)),
        ("single-numa-node", [ANY, IMPOSSIBLE], Affinity(None, preferred=False)),
        ("restricted", [ANY, None], Affinity(0b001, preferred=True)),
        ("restricted", [TWO, TWO], Affinity(0b011, preferred=True)),
        ("restricted", [ANY, TWO], Affinity(0b111, preferred=False)),
        ("restricted", [None], Affinity(0b111, preferred=True)),
        ("best-effort", [ANY, TWO], Affinity(0b011, preferred=False)),
        ("best-effort", [ONE, LAST], Affinity(0b100, preferred=False)),
        ("best-effort", [ANY, IMPOSSIBLE], Affinity(0b001, preferred=False)),
        ("best-effort", [IMPOSSIBLE], Affinity(0b111, preferred=False)),
        ("best-effort", [hints({0b001}, 1), LAST], Affinity(0b111, preferred=False)),
    ],
)
def test_hints_are_merged(policy: str, lists: list[Hints | None], expected: Affinity) -> None:
    assert HintMerger(policy, CELLS).merge(lists) == expected


def test_a_machine_of_one_node_has_no_affinity_under_single_numa_node() -> None:
    one = Hints(0b1, 1, lambda _: True)

    assert HintMerger("single-numa-node", 0b1).merge([one]) == Affinity(None, preferred=True)


def test_only_best_effort_admits_what_is_not_preferred() -> None:
    poor = Affinity(0b11, preferred=False)

    assert HintMerger("best-effort", CELLS).admits(poor)
    assert not HintMerger("restricted", CELLS).admits(poor)
    assert HintMerger("restricted", CELLS).admits(Affinity(0b11, preferred=True))


def test_the_closest_nodes_win_among_masks_of_one_size() -> None:
    far_first = Distances({0: (10, 30, 20), 1: (30, 10, 30), 2: (20, 30, 10)})

    assert HintMerger("restricted", CELLS, far_first).merge([TWO]) == Affinity(0b101, preferred=True)
    assert HintMerger("restricted", CELLS, far_first).merge([ANY, LAST]) == Affinity(0b100, preferred=True)
    assert HintMerger("restricted", CELLS, far_first).merge([ONE, LAST]) == Affinity(0b111, preferred=False)
    assert HintMerger("best-effort", CELLS, far_first).merge([ANY, TWO]) == Affinity(0b101, preferred=False)


def test_a_missing_distance_is_the_kubelets_panic() -> None:
    with pytest.raises(RefusedError, match="KubeletPanic"):
        HintMerger("restricted", CELLS, Distances({0: (10,), 1: (10,), 2: (10,)})).merge([TWO])


def test_align_by_socket_may_prefer_masks_of_several_sizes() -> None:
    socket = Hints(CELLS, 1, {0b011, 0b111}.__contains__, wide={0b011}.__contains__)

    assert HintMerger("restricted", CELLS).merge([socket]) == Affinity(0b011, preferred=True)
    assert HintMerger("restricted", CELLS).merge([socket, TWO]) == Affinity(0b011, preferred=True)
    assert HintMerger("restricted", CELLS).merge([socket, ONE]) == Affinity(0b111, preferred=False)


Listed = list[tuple[int, bool]]


def by_trying_all(lists: Sequence[Listed], cells: int, distances: Distances) -> Affinity:
    """Merge as TM/policy.go does, combination by combination, without a policy."""
    aim = max((min(mask.bit_count() for mask, _ in listed) for listed in lists if listed), default=0)
    best: tuple[int, bool] | None = None
    for combination in product(*[listed or [(-1, False)] for listed in lists]):
        merged = cells
        for mask, _ in combination:
            merged &= mask
        masks = {mask for mask, _ in combination if mask >= 0}
        preferred = len(masks) <= 1 and all(chosen for _, chosen in combination)
        if merged and (best is None or better(best, (merged, preferred), aim, distances)):
            best = (merged, preferred)
    return Affinity(*(best or (cells, False)))


def better(current: tuple[int, bool], candidate: tuple[int, bool], aim: int, distances: Distances) -> bool:
    """Mirror HintMerger.compare: whether the candidate replaces the current hint."""
    (old, was), (new, now) = current, candidate
    if was != now:
        return now
    narrower = (new.bit_count(), distances.average(new), new) < (old.bit_count(), distances.average(old), old)
    if was or old.bit_count() > aim:
        return narrower
    if old.bit_count() == aim:
        return new.bit_count() == aim and narrower
    if new.bit_count() == aim:
        return True
    if new.bit_count() > aim or new.bit_count() < old.bit_count():
        return False
    return new.bit_count() > old.bit_count() or narrower


@pytest.mark.parametrize("closest", [False, True], ids=["narrowest", "closest"])
@pytest.mark.parametrize("seed", range(300))
def test_the_short_way_answers_what_trying_all_answers(seed: int, *, closest: bool) -> None:
    chosen = random.Random(seed)  # noqa: S311  # repeatable, nothing secret
    cells = (1 << chosen.randint(1, 4)) - 1
    lists: list[Hints] = []
    listed: list[Listed] = []
    for _ in range(chosen.randint(1, 3)):
        masks = {mask for mask in range(1, cells + 1) if chosen.random() < chosen.choice([0.2, 0.5, 1])}
        least = chosen.randint(1, min((mask.bit_count() for mask in masks), default=1))
        lists.append(Hints(cells, least, masks.__contains__))
        listed.append([(mask, mask.bit_count() == least) for mask in sorted(masks)])

    near = Distances({cell: [chosen.choice([10, 20, 30]) if closest else 10 for _ in range(4)] for cell in range(4)})
    merger = HintMerger("best-effort", cells, near if closest else None)
    assert merger.merge(lists) == by_trying_all(listed, cells, near)
