"""Which node classes the scheduler may choose."""

from dataclasses import replace

import pytest
from builders import pod

from webhook.domain.facts import read
from webhook.domain.scheduling import telling_label
from webhook.domain.scheduling import why_ineligible
from webhook.domain.topology import NodeClass
from webhook.domain.topology import Taint
from webhook.sources.policy_file import load_profile

CLASS = replace(load_profile("generic-2x4"), labels={"pool": "h100", "slots": "8"})


def affinity(*terms: list[dict[str, object]]) -> dict[str, object]:
    selector = {"nodeSelectorTerms": [{"matchExpressions": term} for term in terms]}
    return {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": selector}}


@pytest.mark.parametrize(
    ("selector", "eligible"),
    [({}, True), ({"pool": "h100"}, True), ({"pool": "l4"}, False), ({"kubernetes.io/hostname": "n1"}, True)],
)
def test_a_node_selector_must_match_what_the_class_declares(selector: dict[str, str], eligible: bool) -> None:
    assert (why_ineligible(read(pod(nodeSelector=selector)), CLASS) is None) == eligible


@pytest.mark.parametrize(
    ("requirement", "eligible"),
    [
        ({"key": "pool", "operator": "In", "values": ["h100", "l4"]}, True),
        ({"key": "pool", "operator": "In", "values": ["l4"]}, False),
        ({"key": "pool", "operator": "NotIn", "values": ["h100"]}, False),
        ({"key": "pool", "operator": "Exists"}, True),
        ({"key": "pool", "operator": "DoesNotExist"}, False),
        ({"key": "slots", "operator": "Gt", "values": ["4"]}, True),
        ({"key": "slots", "operator": "Lt", "values": ["4"]}, False),
        ({"key": "slots", "operator": "Gt", "values": ["many"]}, False),
        ({"key": "pool", "operator": "Near", "values": ["h100"]}, False),
        ({"key": "zone", "operator": "DoesNotExist"}, True),
    ],
)
def test_required_node_affinity(requirement: dict[str, object], eligible: bool) -> None:
    facts = read(pod(affinity=affinity([requirement])))

    assert (why_ineligible(facts, CLASS) is None) == eligible


def test_one_matching_term_suffices_and_an_empty_term_matches_nothing() -> None:
    wrong: list[dict[str, object]] = [{"key": "pool", "operator": "In", "values": ["l4"]}]
    right: list[dict[str, object]] = [{"key": "pool", "operator": "Exists"}]

    assert why_ineligible(read(pod(affinity=affinity(wrong, right))), CLASS) is None
    assert why_ineligible(read(pod(affinity=affinity(wrong, []))), CLASS) == "required node affinity does not match"


@pytest.mark.parametrize(
    ("toleration", "eligible"),
    [
        (None, False),
        ({"key": "gpu", "operator": "Exists"}, True),
        ({"operator": "Exists"}, True),
        ({"key": "gpu", "value": "yes"}, True),
        ({"key": "gpu", "value": "no"}, False),
        ({"key": "gpu", "operator": "Exists", "effect": "NoExecute"}, False),
        ({"key": "other", "operator": "Exists"}, False),
    ],
)
def test_a_taint_must_be_tolerated(toleration: dict[str, str] | None, eligible: bool) -> None:
    tainted = replace(CLASS, taints=(Taint("gpu", "NoSchedule", "yes"),))
    facts = read(pod(tolerations=[toleration] if toleration else []))

    assert (why_ineligible(facts, tainted) is None) == eligible


def test_a_soft_taint_keeps_nobody_away() -> None:
    soft: NodeClass = replace(CLASS, taints=(Taint("gpu", "PreferNoSchedule"),))

    assert why_ineligible(read(pod()), soft) is None


def test_a_label_that_both_declare_otherwise_tells_two_classes_apart() -> None:
    taking = replace(CLASS, labels={"a": "1", "b": "2"})

    assert telling_label([taking], replace(CLASS, labels={"a": "1", "b": "3"})) == "b=2"
    assert telling_label([taking], replace(CLASS, labels={"a": "1"})) is None
