"""What is said of spec.resources that are not equal."""

from typing import Any

import pytest
from builders import container
from builders import equal
from builders import pod
from builders import ruling
from misfits import kubelet

from webhook.domain.topology import NodeClass
from webhook.engine.judge import judge_pod


def said(obj: dict[str, Any], *classes: NodeClass) -> list[str]:
    known = ruling(*classes)
    return [one.message for one in judge_pod(obj, known).findings if one.code == "non-guaranteed-qos"]


UNEQUAL = pod(container(**equal("16", "64Gi", 2)), container("proxy"), resources={"limits": {"cpu": "18"}})


def test_containers_are_named_where_nodes_pin_nothing_of_such_a_pod() -> None:
    assert said(UNEQUAL) == ["spec.resources make the pod Burstable: set cpu and memory per container instead"]


@pytest.mark.parametrize("scope", ["pod", "container"])
def test_where_nodes_pin_such_pods_only_equal_values_are_named(scope: str) -> None:
    gated = kubelet(feature_gates={"PodLevelResourceManagers": True}, topology_manager_scope=scope)

    assert said(UNEQUAL, gated) == [
        "spec.resources make the pod Burstable: write equal cpu and memory limits and requests there"
    ]
