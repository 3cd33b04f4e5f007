"""What a change of labels means: whether more may be refused, and which labels do nothing."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from builders import pod
from builders import policy
from builders import world

from webhook.domain.levels import Level
from webhook.domain.levels import Modes
from webhook.domain.policy import Match
from webhook.domain.policy import Override
from webhook.domain.policy import Overrides
from webhook.domain.policy import Policy
from webhook.domain.selector import LabelRequirement
from webhook.domain.selector import LabelSelector
from webhook.engine.namespace_change import Change
from webhook.engine.namespace_change import may_refuse_more
from webhook.engine.namespace_change import rulings
from webhook.engine.namespace_change import without_effect
from webhook.engine.world import World

ENFORCE = "numagate.io/enforce"
OFF = {"numagate.io/admission": "disabled"}
LOOKING = Modes(enforce=Level.NONE)
GOLD = Match(namespace_selector=LabelSelector((LabelRequirement("tier", "In", ("gold",)),)))
IRON = Match(namespace_selector=LabelSelector((LabelRequirement("tier", "NotIn", ("gold",)),)))


def among(*policies: Policy) -> World:
    return replace(world(), policies=tuple(sorted(policies, key=lambda one: one.order)))


def looking(**changes: Any) -> Policy:
    return policy(modes=LOOKING, **changes)


ANY_LEVEL = Overrides(enforce=Override.ANY)
CHANGES: dict[str, tuple[World, Mapping[str, str], Mapping[str, str], bool]] = {
    "a label that raises": (among(looking()), {}, {ENFORCE: "aligned"}, True),
    "one that raises further": (among(looking()), {ENFORCE: "guaranteed"}, {ENFORCE: "aligned"}, True),
    "one that goes down": (among(looking()), {ENFORCE: "aligned"}, {ENFORCE: "guaranteed"}, False),
    "a label that goes away": (among(looking()), {ENFORCE: "aligned"}, {}, False),
    "one that goes away and was below the policy": (
        among(policy(overrides=ANY_LEVEL)),
        {ENFORCE: "none"},
        {},
        True,
    ),
    "one that says what the policy says": (among(policy()), {}, {ENFORCE: "aligned"}, False),
    "one that is no level": (among(looking()), {}, {ENFORCE: "high"}, False),
    "one that the policy does not hear": (
        among(looking(overrides=Overrides(enforce=Override.NONE))),
        {},
        {ENFORCE: "aligned"},
        False,
    ),
    "the level of another mode": (among(looking()), {}, {"numagate.io/warn": "aligned"}, False),
    "a label that a policy selects by": (among(policy(match=GOLD)), {}, {"tier": "gold"}, True),
    "one that ends what was selected": (among(policy(match=GOLD)), {"tier": "gold"}, {}, False),
    "one that ends the policy before a stricter one": (
        among(looking(name="a", match=GOLD), policy(name="b")),
        {"tier": "gold"},
        {},
        True,
    ),
    "numagate is switched on": (among(policy()), OFF, {}, True),
    "numagate is switched off": (among(looking()), {}, {**OFF, ENFORCE: "aligned"}, False),
    "nobody is for the namespace": (among(policy(match=GOLD)), {}, {ENFORCE: "aligned"}, False),
}


@pytest.mark.parametrize("name", CHANGES)
def test_pods_are_judged_only_where_more_may_be_refused(name: str) -> None:
    known, old, new, expected = CHANGES[name]

    assert may_refuse_more(Change("team-a", old, new), known) == expected


@pytest.mark.parametrize("namespace", ["kube-system", "numagate-system"])
def test_no_label_reaches_a_namespace_that_is_always_exempt(namespace: str) -> None:
    assert not may_refuse_more(Change(namespace, {}, {ENFORCE: "aligned"}), among(looking()))


def test_a_pod_that_its_old_policy_spared_may_be_refused_by_the_new_one() -> None:
    known = among(policy(name="a", match=GOLD), policy(name="b"))

    assert rulings(pod(), Change("team-a", {}, {"tier": "gold"}), known).may_refuse_more


@pytest.mark.parametrize(
    ("old", "new", "known"),
    [
        ({}, {}, among(policy(match=GOLD))),
        ({}, {}, among(looking())),
        ({}, OFF, among(policy())),
    ],
)
def test_a_pod_that_nobody_enforces_anything_on_is_not_refused(
    old: Mapping[str, str], new: Mapping[str, str], known: World
) -> None:
    assert not rulings(pod(), Change("team-a", old, new), known).may_refuse_more


EFFECTS: dict[str, tuple[World, Mapping[str, str], list[str]]] = {
    "a level that counts": (among(looking()), {ENFORCE: "aligned"}, []),
    "no level of ours": (among(looking()), {"tier": "gold", "numagate.io/other": "x"}, []),
    "no level at all": (
        among(policy()),
        {ENFORCE: "high"},
        ["numagate.io/enforce: 'high' is no level: write one of none, guaranteed, exclusive, aligned"],
    ),
    "a level below the policy's": (
        among(policy()),
        {ENFORCE: "guaranteed"},
        [
            (
                "numagate.io/enforce: guaranteed is below the policy's aligned: "
                "a namespace may only raise a level, so it has no effect"
            )
        ],
    ),
    "a level that counts under the second policy": (
        among(policy(name="a", match=Match(accelerators=("amd.com/gpu",))), looking(name="b")),
        {ENFORCE: "guaranteed"},
        [],
    ),
    "no policy": (
        among(policy(match=GOLD)),
        {ENFORCE: "aligned"},
        ["numagate.io/enforce: no policy is for this namespace, so aligned has no effect"],
    ),
    "switched off": (
        among(policy()),
        {ENFORCE: "aligned", **OFF},
        ["numagate.io/enforce: numagate judges no pod of this namespace, so aligned has no effect"],
    ),
}


@pytest.mark.parametrize("name", EFFECTS)
def test_a_label_without_effect_is_told(name: str) -> None:
    known, new, expected = EFFECTS[name]

    assert [one.message for one in without_effect(Change("team-a", {}, new), known)] == expected


def test_a_label_that_was_there_before_is_not_told_again() -> None:
    change = Change("team-a", {ENFORCE: "guaranteed"}, {ENFORCE: "guaranteed", "numagate.io/warn": "aligned"})

    assert list(without_effect(change, among(policy(), looking(name="b", match=IRON)))) == []


def test_in_an_exempt_namespace_no_label_has_an_effect() -> None:
    found = without_effect(Change("kube-system", {}, {ENFORCE: "aligned"}), among(looking()))

    assert [one.message for one in found] == [
        "numagate.io/enforce: numagate judges no pod of this namespace, so aligned has no effect"
    ]
