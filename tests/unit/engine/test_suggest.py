"""The nearest shapes of a pod that does not fit: tried, ranked and bounded."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from builders import GPU
from builders import container
from builders import equal
from builders import pod
from misfits import CONTAINER_SCOPE
from misfits import P0
from misfits import RESTRICTED
from misfits import SPREADING
from misfits import answer
from misfits import kubelet
from misfits import misfit
from misfits import reserved_first

from webhook.domain.fit import Fits
from webhook.domain.policy import Classes
from webhook.domain.topology import NodeClass
from webhook.domain.topology import Taint
from webhook.engine import suggest
from webhook.engine.suggestion import Change
from webhook.sources.machines import load_machine

SMALL = load_machine("two-socket-32c")
LARGE = replace(P0, name="large", labels={"example.com/pool": "large"})
HELPED = pod(container(**equal("94", "64Gi", 4)), container("proxy", **equal("2", "1Gi", None)))
LOADING = pod(
    container(**equal("14", "1Gi", 1)), init=(container("load", **equal("1", "512Mi", 1)),), nodeSelector={"a": "b"}
)


def kinds(obj: dict[str, Any], node_class: NodeClass = P0) -> list[str]:
    return [one.kind for one in suggest.shapes(misfit(obj, node_class), node_class)]


def remedies(obj: dict[str, Any], *classes: NodeClass, required: Classes = Classes.ANY) -> tuple[str, ...]:
    return suggest.remedies(misfit(obj, *classes, required=required))


def test_the_kinds_are_ranked_without_a_tie() -> None:
    ranks = [kind.rank for kind in suggest.KINDS]

    assert ranks == sorted(set(ranks))


@pytest.mark.parametrize(
    ("obj", "node_class", "found"),
    [
        (HELPED, P0, ["unpinned-helper", "smaller-request", "fewer-accelerators"]),
        (LOADING, reserved_first(), ["init-cpu", "smaller-request"]),
        (pod(container(**equal("7"))), P0, ["whole-cores", "smaller-request"]),
        (pod(container(**equal("95", "64Gi", 1))), P0, ["whole-cores"]),
        (pod(container(**equal("96", "64Gi", 1))), P0, ["smaller-request"]),
        (pod(container(**equal("176", "1800Gi", 8))), P0, ["fewer-accelerators", "other-pool"]),
        (pod(container(**equal("188", "1800Gi", 8))), RESTRICTED, ["more-numa-nodes", "fewer-accelerators"]),
        (pod(container(**equal("24", "500Gi", 8))), SPREADING, ["fewer-accelerators", "wider-request"]),
    ],
)
def test_each_kind_that_fits_gives_its_nearest_shape(
    obj: dict[str, Any], node_class: NodeClass, found: list[str]
) -> None:
    assert [one for one in kinds(obj, node_class) if one != "other-pool" or node_class is P0] == found


@pytest.mark.parametrize("node_class", [P0, RESTRICTED, SPREADING, CONTAINER_SCOPE, reserved_first(), SMALL])
@pytest.mark.parametrize("gpus", [1, 4, 5, 8])
@pytest.mark.parametrize("cpu", ["7", "40", "120", "190"])
def test_every_shape_fits_once_it_is_written_into_the_pod(node_class: NodeClass, gpus: int, cpu: str) -> None:
    obj = pod(container(**equal(cpu, "300Gi", gpus)), container("proxy", **equal("2", "1Gi", None)))

    for shape in suggest.shapes(misfit(obj, node_class), node_class):
        assert answer(obj, shape).fits is not Fits.NO, shape.text


def test_a_pod_that_fits_needs_no_shape() -> None:
    assert suggest.shapes(misfit(pod()), P0) == ()
    assert remedies(pod()) == ()


def test_a_pod_that_only_lacks_exclusive_cpus_is_no_misfit() -> None:
    assert remedies(pod(container(requests={"cpu": "8"}, limits={"memory": "8Gi", GPU: "1"}))) == ()


def test_what_does_not_fit_is_not_shown() -> None:
    assert remedies(pod(container(**equal("8", "8Gi", 5)), container("proxy"))) == ()
    assert remedies(pod(container(**equal("8", "8Gi", 8)), resources={"limits": {"cpu": "9", "memory": "9Gi"}})) == ()


def test_the_refusal_names_the_smallest_edit_and_the_nearest_other_place() -> None:
    assert remedies(pod(container(**equal("188", "2016Gi", 8)))) == (
        "run 2 replicas of 4 GPUs, 94 CPUs and 1008Gi each",
        'a node pool with topology manager policy restricted, and in the pod numagate.io/numa-nodes: "2"',
    )
    assert remedies(HELPED) == ("give container proxy cpu 1990m, which pins no CPUs",)


def test_of_several_classes_the_nearest_is_named() -> None:
    five = pod(container(**equal("40", "64Gi", 5)))

    assert remedies(five, SMALL, P0) == ("ask for 4 GPUs per pod (generic-2x4)",)
    assert remedies(pod(container(**equal("40", "300Gi", 1))), SMALL, reserved_first()) == (
        "ask for cpu 16 (4 is its share: 1 of 4 GPUs) on reserved-first",
    )


def test_a_pool_that_spreads_pods_is_told_before_one_that_is_to_be_made() -> None:
    narrow = pod(container(**equal("96", "800Gi", 8)))
    declared = {**narrow, "metadata": {**narrow["metadata"], "annotations": {"numagate.io/numa-nodes": "2"}}}

    assert remedies(narrow, P0, replace(SPREADING, name="spreading")) == (
        "run 2 replicas of 4 GPUs, 48 CPUs and 400Gi each (generic-2x4)",
        'annotate numagate.io/numa-nodes: "2" and ask for cpu 100 and memory 1010Gi (spreading)',
    )
    assert remedies(declared, SPREADING)[1] == "ask for cpu 100 and memory 1010Gi"


def test_where_kubelets_are_to_be_set_otherwise_their_machines_are_named() -> None:
    assert remedies(pod(container(**equal("188", "2016Gi", 8))), P0, SMALL)[1].endswith(
        'numagate.io/numa-nodes: "2" (machines of generic-2x4)'
    )


def test_where_all_classes_count_the_shape_fits_them_all() -> None:
    wide = pod(container(**equal("40", "64Gi", 1)))

    assert remedies(wide, SMALL, P0, required=Classes.ALL) == ("ask for cpu 30 (6 is its share: 1 of 4 GPUs)",)
    assert remedies(pod(container(**equal("188", "2016Gi", 8))), RESTRICTED, P0, required=Classes.ALL)[0] == (
        "run 2 replicas of 4 GPUs, 94 CPUs and 1008Gi each"
    )


def test_a_class_beyond_the_selector_is_another_place() -> None:
    chosen = pod(container(**equal("40", "64Gi", 1)), nodeSelector={"example.com/pool": "small"})
    small = replace(SMALL, labels={"example.com/pool": "small"})
    reserved = replace(LARGE, taints=(Taint("example.com/team", "NoSchedule", "other"),))

    assert remedies(chosen, small, LARGE) == (
        "ask for cpu 31 (7 is its share: 1 of 4 GPUs)",
        "use nodes of large, which take it as it is: nodeSelector example.com/pool: large",
    )
    (_, found) = suggest.shapes(misfit(chosen, small, reserved), small)
    assert answer(chosen, found).fits is Fits.YES


def test_a_class_that_required_affinity_excludes_is_no_other_place() -> None:
    terms = [{"matchExpressions": [{"key": "example.com/pool", "operator": "In", "values": ["small"]}]}]
    affinity = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}}}
    chosen = pod(container(**equal("40", "64Gi", 1)), affinity=affinity)

    assert remedies(chosen, replace(SMALL, labels={"example.com/pool": "small"}), LARGE) == (
        "ask for cpu 31 (7 is its share: 1 of 4 GPUs)",
    )


def test_an_assumed_class_stands_for_whatever_the_pod_selects() -> None:
    assumed = replace(P0, labels={"example.com/pool": "small"}, assumed=True)
    chosen = pod(container(**equal("96", "64Gi", 1)), nodeSelector={"example.com/pool": "large"})

    assert remedies(chosen, assumed) == ("ask for cpu 94 (22 is its share: 1 of 4 GPUs)",)


def test_where_all_of_many_classes_count_two_proposals_are_tried() -> None:
    many = [replace(SMALL, name=f"class-{number}") for number in range(40)]

    assert remedies(pod(container(**equal("40", "64Gi", 1))), *many, required=Classes.ALL) == (
        "ask for cpu 31 (7 is its share: 1 of 4 GPUs)",
    )


def test_a_pod_that_cannot_be_read_is_not_reshaped() -> None:
    assert remedies(pod(container(**equal("96", "64Gi", 1)), container(**equal("1", "x", 1)))) == ()


def test_values_of_a_limit_range_are_neither_scaled_nor_shown() -> None:
    filled = {"kubernetes.io/limit-ranger": "LimitRanger plugin set: memory limit for container server"}
    obj = pod(container(**equal("88", "128Mi", 8)), annotations=filled)

    assert remedies(obj)[0] == "run 2 replicas of 4 GPUs, 44 CPUs and 1008Gi each"


def test_a_lenient_kubelet_must_align_the_shape_all_the_same() -> None:
    lenient = kubelet(topology_manager_policy="best-effort")

    assert remedies(pod(container(**equal("190", "64Gi", 1))), lenient) == (
        "ask for cpu 94 (22 is its share: 1 of 4 GPUs)",
    )
    assert remedies(pod(container(**equal("190", "64Gi", 16))), lenient)[0] == (
        "run 4 replicas of 4 GPUs, 46 CPUs and 16Gi each"
    )


def test_a_kubelet_that_does_not_start_has_no_shape() -> None:
    broken = kubelet(cpu_manager_policy_options={"no-such-option": "true"})

    assert remedies(pod(container(**equal("8", "8Gi", 8))), broken) == ()


@pytest.mark.parametrize(("containers", "tried"), [(1, suggest.MOST_TRIALS), (100, 3)])
def test_a_refusal_simulates_a_bounded_number_of_pods(containers: int, tried: int) -> None:
    many = misfit(pod(*(container(f"c{number}", **equal("200", "1Gi", 1)) for number in range(containers))))
    drawn: list[suggest.Suggestion] = []

    def endless() -> Iterator[suggest.Suggestion]:
        while True:
            drawn.append(suggest.Suggestion("test", "as it is", P0))
            yield drawn[-1]

    assert suggest.Trials(many).first(endless(), (P0,)) is None
    assert len(drawn) == tried


def test_a_shape_for_more_classes_than_can_be_tried_is_not_shown() -> None:
    helpers = (container(f"h{number}", **equal("100m", "1Mi", None)) for number in range(99))
    crowded = misfit(pod(container(**equal("96", "1Gi", 1)), *helpers))
    fits = suggest.Suggestion("test", "ask for cpu 8", P0, (Change("server", "cpu", "96", "8"),))
    more = tuple(replace(P0) for _ in range(3))

    assert suggest.Trials(crowded).first(iter([fits]), (P0, *more[:2])) is fits
    assert suggest.Trials(crowded).first(iter([fits]), (P0, *more)) is None


@pytest.mark.parametrize(
    ("least", "text"), [("8", "ask for cpu 16 (8 is its share)"), ("97", "ask for cpu 16")], ids=["fits", "does not"]
)
def test_a_share_is_named_only_where_it_fits_as_well(least: str, text: str) -> None:
    def asking(cpu: str, words: str) -> suggest.Suggestion:
        return suggest.Suggestion("test", words, P0, (Change("server", "cpu", "96", cpu),))

    found = replace(asking("16", "ask for cpu 16"), share=asking(least, "ask for cpu 16 (8 is its share)"))
    trials = suggest.Trials(misfit(pod(container(**equal("96", "1Gi", 1)))))

    assert trials.with_share(found, (P0,)).text == text


def test_the_same_pod_is_told_the_same() -> None:
    obj = pod(*(container(f"c{number}", **equal("40", "300Gi", 3)) for number in range(3)))

    assert remedies(obj, SMALL, P0) == remedies(obj, SMALL, P0)
