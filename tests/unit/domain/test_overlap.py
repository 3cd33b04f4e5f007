"""Policies that may be asked about the same pod."""

from dataclasses import replace

import pytest

from webhook.domain.overlap import by_name_alone
from webhook.domain.overlap import may_overlap
from webhook.domain.policy import EVERYTHING
from webhook.domain.policy import Match
from webhook.domain.selector import LabelRequirement
from webhook.domain.selector import LabelSelector
from webhook.sources.policy_file import load_policy

ANY = load_policy().policy


def team(*values: str, operator: str = "In") -> LabelSelector:
    return LabelSelector((LabelRequirement("team", operator, values),))


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        (EVERYTHING, EVERYTHING, True),
        (Match(namespaces=("a",)), EVERYTHING, True),
        (Match(namespaces=("a",)), Match(accelerators=("b/c",)), True),
        (Match(namespaces=("a", "b")), Match(namespaces=("b", "c")), True),
        (Match(namespaces=("a", "b")), Match(namespaces=("c",)), False),
        (Match(namespaces=("team-*",)), Match(namespaces=("team-a",)), True),
        (Match(namespaces=("team-*",)), Match(namespaces=("tea-*",)), False),
        (Match(namespaces=("team-*",)), Match(namespaces=("*-prod",)), True),
        (Match(namespaces=("*-test",)), Match(namespaces=("*-prod",)), False),
        (Match(accelerators=("nvidia.com/gpu",)), Match(accelerators=("amd.com/gpu",)), False),
        (Match(pod_selector=team("a")), Match(pod_selector=team("b")), False),
        (Match(pod_selector=team("a", "b")), Match(pod_selector=team("b")), True),
        (Match(pod_selector=team("a")), Match(namespace_selector=team("b")), True),
        (Match(namespace_selector=team("a")), Match(namespace_selector=team("a", operator="NotIn")), True),
        (Match(namespace_selector=team("a")), Match(namespace_selector=LabelSelector()), True),
    ],
)
def test_what_may_match_the_same_pod(first: Match, second: Match, expected: bool) -> None:
    assert (may_overlap(first, second), may_overlap(second, first)) == (expected, expected)


def test_requirements_of_one_label_hold_together() -> None:
    both = LabelSelector((*team("a", "b").requirements, *team("b", "c").requirements))

    assert not may_overlap(Match(pod_selector=both), Match(pod_selector=team("a")))


@pytest.mark.parametrize(
    ("changes", "expected"),
    [({}, True), ({"priority": 1}, False), ({"match": Match(namespaces=("a",))}, False)],
)
def test_priority_and_a_match_put_policies_in_order(changes: dict[str, object], expected: bool) -> None:
    assert by_name_alone(ANY, replace(ANY, **changes)) is expected
