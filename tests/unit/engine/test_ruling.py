"""Which of several policies governs a pod, and with which modes."""

from dataclasses import replace
from typing import Any

import pytest
from builders import container
from builders import pod
from builders import policy
from builders import world

from webhook.domain.levels import Level
from webhook.domain.policy import Match
from webhook.domain.policy import Override
from webhook.domain.policy import Overrides
from webhook.domain.policy import Policy
from webhook.domain.selector import LabelRequirement
from webhook.domain.selector import LabelSelector
from webhook.engine.ruling import rule
from webhook.engine.world import World

GOLD = LabelSelector((LabelRequirement("tier", "In", ("gold",)),))


def named(name: str, **changes: Any) -> Policy:
    return policy(name=name, **changes)


def among(*policies: Policy, **changes: Any) -> World:
    ordered = tuple(sorted(policies, key=lambda one: one.order))
    return replace(world(), policies=ordered, **changes)


def governing(known: World, obj: dict[str, Any] | None = None, namespace: str = "team-a") -> str:
    ruling = rule(obj or pod(), namespace, known)
    return ruling.policy.name if ruling else ""


def test_the_highest_priority_is_asked_first_then_a_match_then_the_name() -> None:
    everywhere = Match(namespaces=("*",))
    policies = (
        named("a"),
        named("b"),
        named("d", match=everywhere),
        named("c", match=everywhere),
        named("z", priority=1),
    )
    asked = [governing(among(*policies[:count])) for count in (2, 3, 4, 5)]
    assert asked == ["a", "d", "c", "z"]


@pytest.mark.parametrize(
    ("match", "expected"),
    [
        (Match(), True),
        (Match(namespaces=("team-*",)), True),
        (Match(namespaces=("prod",)), False),
        (Match(accelerators=("nvidia.com/gpu",)), True),
        (Match(accelerators=("nvidia.com/mig-*",)), False),
        (Match(namespace_selector=GOLD), True),
        (Match(namespace_selector=LabelSelector((LabelRequirement("tier", "DoesNotExist"),))), False),
        (Match(pod_selector=LabelSelector((LabelRequirement("app", "Exists"),))), True),
        (Match(pod_selector=GOLD), False),
        (Match(namespaces=("team-*",), accelerators=("amd.com/gpu",)), False),
    ],
)
def test_all_that_is_written_must_match(match: Match, *, expected: bool) -> None:
    known = among(named("p", match=match), namespaces={"team-a": {"tier": "gold"}})
    assert bool(governing(known, pod(labels={"app": "llm"}))) == expected


def test_an_init_container_asks_for_accelerators_as_well() -> None:
    loader = container("loader", limits={"amd.com/gpu": "1"})
    known = among(named("amd", match=Match(accelerators=("amd.com/gpu",))))
    assert governing(known, pod(init=(loader,))) == "amd"


def test_no_policy_governs_where_none_matches_or_none_is_there() -> None:
    assert governing(among(named("p", match=Match(namespaces=("prod",))))) == ""
    assert governing(among()) == ""


def test_the_labels_of_the_namespace_change_the_modes_as_far_as_the_policy_lets_them() -> None:
    labels = {"numagate.io/enforce": "none", "numagate.io/audit": "none"}
    known = among(named("p", overrides=Overrides(audit=Override.ANY)), namespaces={"team-a": labels})
    ruling = rule(pod(), "team-a", known)
    assert ruling is not None
    assert (ruling.modes.enforce, ruling.modes.audit) == (Level.ALIGNED, Level.NONE)


@pytest.mark.parametrize(("name", "expected"), [("team-a", "chosen"), ("team-b", "")])
def test_a_namespace_can_be_selected_by_the_label_that_the_api_server_gives_each(name: str, expected: str) -> None:
    selector = LabelSelector((LabelRequirement("kubernetes.io/metadata.name", "In", (name,)),))

    assert governing(among(named("chosen", match=Match(namespace_selector=selector)))) == expected
