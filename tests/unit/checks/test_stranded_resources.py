"""The warning about accelerators that stay idle."""

from dataclasses import replace
from typing import Any

import pytest
from builders import container
from builders import equal
from builders import pod
from builders import ruling
from misfits import P0

from webhook.domain.finding import Finding
from webhook.domain.topology import NodeClass
from webhook.engine.judge import judge_pod
from webhook.engine.messages import finding_warning
from webhook.sources.machines import load_machine

RESTRICTED = load_machine("generic-2x4-restricted")
SMALL = load_machine("two-socket-32c")


def found(obj: dict[str, Any], *classes: NodeClass) -> list[Finding]:
    known = ruling(*classes)
    judgement = judge_pod(obj, known)
    return [finding for finding in judgement.findings if finding.code == "stranded-resources"]


@pytest.mark.parametrize(
    ("obj", "message", "wanted"),
    [
        (
            pod(container(**equal("40", "64Gi", 1))),
            "2 replicas leave 2 of 4 nvidia.com/gpu with 14 of 94 CPUs per NUMA node: ask for at most 22",
            "at most 22",
        ),
        (
            pod(container(**equal("8", "900Gi", 2)), container("proxy", **equal("500m", "4Gi", None))),
            "1 replica leaves 2 of 4 nvidia.com/gpu with 104Gi of 1008Gi per NUMA node: ask for at most 500Gi",
            "at most 500Gi",
        ),
        (
            pod(container(**equal("8", "64Gi", 1)), container("proxy", **equal("80", "4Gi", None))),
            "1 replica leaves 3 of 4 nvidia.com/gpu with 6 of 94 CPUs per NUMA node",
            None,
        ),
    ],
)
def test_the_numbers_and_the_share_are_told(obj: dict[str, Any], message: str, wanted: str | None) -> None:
    (one,) = found(obj)

    assert (one.message, one.wanted) == (message, wanted)


def test_what_is_told_leaves_nothing_idle() -> None:
    assert found(pod(container(**equal("22", "64Gi", 1)))) == []
    assert found(pod(container(**equal("8", "500Gi", 2)), container("proxy", **equal("500m", "4Gi", None)))) == []


def test_an_init_container_that_pins_the_most_is_told() -> None:
    sidecar = container("proxy", **equal("4", "4Gi", None), restartPolicy="Always")
    loading = pod(container(**equal("10", "64Gi", 2)), init=(sidecar, container("load", **equal("86", "4Gi", None))))

    (one,) = found(loading)

    assert (one.container, one.wanted) == ("load", "at most 42")
    assert found(pod(container(**equal("10", "64Gi", 2)), init=(container("load", **equal("46", "4Gi", None)),))) == []


def test_it_fits_into_a_warning() -> None:
    (one,) = found(pod(container(**equal("40", "64Gi", 1))))

    assert finding_warning(one) == (
        "server: 2 replicas leave 2 of 4 nvidia.com/gpu with 14 of 94 CPUs per NUMA node: ask for at most 22 "
        "[stranded-resources]"
    )


def test_a_class_on_which_nothing_is_idle_is_good_enough() -> None:
    obj = pod(container(**equal("14", "32Gi", 1)))

    assert (len(found(obj, SMALL)), found(obj, SMALL, P0)) == (1, [])


def test_on_many_kinds_of_machine_nothing_is_said() -> None:
    obj = pod(container(**equal("40", "64Gi", 1)))
    alike = [replace(P0, name=f"class-{number}") for number in range(9)]
    unlike = [replace(one, kubelet=replace(P0.kubelet)) for one in alike]

    assert [len(found(obj, *classes)) for classes in (alike, unlike[:8], unlike)] == [1, 1, 0]


def test_a_pod_for_several_numa_nodes_and_one_that_only_loads_with_a_gpu_are_left_alone() -> None:
    whole = pod(container(**equal("188", "2016Gi", 8)), annotations={"numagate.io/numa-nodes": "2"})
    loading = pod(container(**equal("40", "64Gi", None)), init=(container("load", **equal("40", "64Gi", 1)),))

    assert found(whole, RESTRICTED) == []
    assert found(loading) == []
