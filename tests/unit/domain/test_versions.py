"""What the versions of Kubernetes do otherwise."""

from dataclasses import fields

import pytest
from builders import container
from builders import equal
from builders import pod

from webhook.domain import facts
from webhook.domain.pod import QOSClass
from webhook.domain.versions import NEWEST
from webhook.domain.versions import rules

FOUR = {"cpu": "4", "memory": "8Gi"}


def test_a_version_that_is_not_known_behaves_as_the_nearest_that_is() -> None:
    assert rules((1, 38)) is rules((2, 0)) is NEWEST
    assert rules((1, 20)) is rules((0, 9)) is rules((1, 34))


@pytest.mark.parametrize(
    ("newer", "older", "names"),
    [
        (37, 36, {"completes_pod_resources", "empty_block_decides", "passes_over_no_memory", "spreads_within_sockets"}),
        (36, 35, {"beta_options", "hints_from_device_nodes", "missing_gates"}),
        (35, 34, {"beta_options"}),
    ],
)
def test_versions_differ_in_these_points(newer: int, older: int, names: set[str]) -> None:
    first, second = rules((1, newer)), rules((1, older))

    assert {one.name for one in fields(first) if getattr(first, one.name) != getattr(second, one.name)} == names


@pytest.mark.parametrize(
    ("minor", "block", "qos"),
    [
        (37, {}, QOSClass.GUARANTEED),
        (36, {}, QOSClass.BEST_EFFORT),
        (34, {}, QOSClass.BEST_EFFORT),
        (36, {"limits": {}}, QOSClass.BEST_EFFORT),
        (36, None, QOSClass.GUARANTEED),
        (36, {"limits": FOUR}, QOSClass.BURSTABLE),
        (37, {"limits": FOUR}, QOSClass.BURSTABLE),
        (36, {"requests": FOUR}, QOSClass.BURSTABLE),
        (37, {"requests": FOUR}, QOSClass.GUARANTEED),
        (37, {"requests": {"cpu": "2"}}, QOSClass.GUARANTEED),
        (36, {"requests": {"cpu": "2"}}, QOSClass.BURSTABLE),
    ],
)
def test_the_class_of_a_pod_with_resources_of_its_own(minor: int, block: object, qos: QOSClass) -> None:
    """Only 1.37 completes a block without limits: with the memory and the limits of the containers."""
    raw = pod(container(**equal("2", "1Gi", None)), resources=block)

    assert facts.read(raw, rules((1, minor))).qos is qos


def test_older_versions_complete_nothing_without_limits_but_huge_pages() -> None:
    raw = pod(container(limits={"hugepages-2Mi": "4Mi"}), resources={"requests": {"cpu": "2"}})
    bare = pod(container(limits={"cpu": "1"}), resources={"requests": {"memory": "2Gi"}})

    older, old, new = (facts.read(raw, rules((1, 36))), facts.read(bare, rules((1, 36))), facts.read(bare))

    assert {name: str(size) for name, size in older.pod_limits.items()} == {"hugepages-2Mi": "4Mi"}
    assert {name: str(size) for name, size in older.pod_requests.items()} == {"cpu": "2", "hugepages-2Mi": "4Mi"}
    assert (set(old.pod_requests), set(old.pod_limits)) == ({"memory"}, set())
    assert (set(new.pod_requests), set(new.pod_limits)) == ({"cpu", "memory"}, {"cpu"})
