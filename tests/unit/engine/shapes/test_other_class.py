"""Another node class that takes the pod as it is."""

from dataclasses import replace
from typing import Any

from builders import container
from builders import equal
from builders import pod
from misfits import P0
from misfits import misfit

from webhook.domain.topology import NodeClass
from webhook.domain.topology import Taint
from webhook.engine.shapes.other_class import KIND
from webhook.sources.machines import load_machine

SMALL = replace(load_machine("two-socket-32c"), labels={"example.com/pool": "small"})
LARGE = replace(P0, name="large", labels={"example.com/pool": "large"})
TAINT = Taint("example.com/reserved", "NoSchedule", "big")
WIDE = container(**equal("40", "64Gi", 1))


def texts(obj: dict[str, Any], *classes: NodeClass) -> list[str]:
    return [one.text for one in KIND.propose(misfit(obj, *classes), classes[0])]


def test_a_selector_that_leads_elsewhere_is_changed() -> None:
    assert texts(pod(WIDE, nodeSelector={"example.com/pool": "small"}), SMALL, LARGE) == [
        "use nodes of large, which take it as it is: nodeSelector example.com/pool: large"
    ]


def test_a_taint_is_tolerated_and_a_label_keeps_the_pod_off_the_other_class() -> None:
    (only,) = KIND.propose(misfit(pod(WIDE), SMALL, replace(LARGE, taints=(TAINT,))), SMALL)

    assert only.text == (
        "use nodes of large, which take it as it is: nodeSelector example.com/pool: large and toleration "
        "example.com/reserved=big:NoSchedule"
    )
    assert (only.node_selector, only.tolerations) == ({"example.com/pool": "large"}, (TAINT,))


def test_an_eligible_class_is_chosen_by_a_label() -> None:
    assert texts(pod(WIDE), SMALL, LARGE) == [
        "use nodes of large, which take it as it is: nodeSelector example.com/pool: large"
    ]
    assert texts(pod(WIDE), SMALL, replace(LARGE, labels={})) == []


def test_an_assumed_class_and_one_without_such_accelerators_are_no_other_place() -> None:
    chosen = pod(WIDE, nodeSelector={"example.com/pool": "small"})

    assert texts(chosen, SMALL, replace(LARGE, devices={})) == []
    assert texts(chosen, SMALL) == []


def test_every_class_that_refuses_the_pod_is_told_apart() -> None:
    medium = replace(SMALL, name="medium", labels={"example.com/pool": "medium", "example.com/size": "m"})
    unlabelled = replace(SMALL, name="unlabelled", labels={})

    assert texts(pod(WIDE), SMALL, medium, LARGE) == [
        "use nodes of large, which take it as it is: nodeSelector example.com/pool: large"
    ]
    assert texts(pod(WIDE), SMALL, unlabelled, LARGE) == []


def test_a_class_that_has_nodes_is_named_first() -> None:
    empty = replace(LARGE, name="empty", labels={"example.com/pool": "empty"}, nodes=0)

    assert texts(pod(WIDE), SMALL, empty, replace(LARGE, nodes=4)) == [
        "use nodes of large, which take it as it is: nodeSelector example.com/pool: large",
        "use nodes of empty, which take it as it is: nodeSelector example.com/pool: empty",
    ]
