"""Where a helper with whole CPUs takes them."""

from typing import Any

from builders import container
from builders import equal
from builders import pod
from builders import ruling
from misfits import CONTAINER_SCOPE
from misfits import P0

from webhook.domain.topology import NodeClass
from webhook.engine.judge import judge_pod


def said(obj: dict[str, Any], *classes: NodeClass) -> list[str]:
    known = ruling(*classes)
    return [one.message for one in judge_pod(obj, known).findings if one.code == "helper-whole-cpu"]


HELPED = pod(container(**equal("8", "64Gi", 1)), container("proxy", **equal("2", "1Gi", None)))


def test_in_pod_scope_they_are_of_the_same_numa_node() -> None:
    assert said(HELPED, P0) == ["cpu 2 is whole, so this helper takes exclusive CPUs of the pod's NUMA node"]


def test_in_container_scope_they_may_be_of_another() -> None:
    assert said(HELPED, P0, CONTAINER_SCOPE) == [
        "cpu 2 is whole, so this helper takes exclusive CPUs, perhaps on another NUMA node"
    ]
