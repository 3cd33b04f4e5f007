"""How many pods an object makes."""

from typing import Any

import pytest

from webhook.domain.pod_count import ONE
from webhook.domain.pod_count import Factor
from webhook.domain.pod_count import count
from webhook.domain.pod_count import times

PLACE = ("spec", "groups", 1, "template")
GROUPS = {"spec": {"replicas": 3, "groups": [{"hosts": 9}, {"hosts": 2}]}}
HOSTS = (*times(".spec.replicas"), *times(".spec.groups[*].hosts"))


def test_numbers_of_the_object_and_of_the_member_around_the_pod_are_multiplied() -> None:
    assert count(GROUPS, HOSTS, PLACE) == 6


def test_a_number_that_is_not_written_is_the_default() -> None:
    assert count({"spec": {"groups": [{}, {}]}}, HOSTS, PLACE) == 1


def test_without_a_default_nobody_can_say() -> None:
    assert count(GROUPS, (*HOSTS, *times(".spec.more", default=None)), PLACE) is None


@pytest.mark.parametrize("value", [True, -1, "3", 2.5, [], {}])
def test_what_is_no_number_of_pods_is_not_guessed(value: Any) -> None:
    assert count({"spec": {"replicas": value}}, times(".spec.replicas"), ()) is None


@pytest.mark.parametrize(("leader", "number"), [({}, 3), (None, 4)])
def test_a_leader_of_its_own_is_not_counted_among_the_workers(leader: object, number: int) -> None:
    obj = {"spec": {"size": 4, "leader": leader}}
    assert count(obj, (Factor(("spec", "size"), less=("spec", "leader")),), ()) == number


def test_of_no_pods_none_is_left() -> None:
    assert count({"spec": {"size": 0}}, (Factor(("spec", "size"), less=()),), ()) == 0


def test_a_number_that_others_multiply_again_is_not_told() -> None:
    factor = Factor(("spec", "replicas"), unless=("spec", "groups"))
    assert (count(GROUPS, (factor,), ()), count({"spec": {"replicas": 2}}, (factor,), ())) == (None, 2)


def test_one_is_one() -> None:
    assert count({}, ONE, ()) == 1
