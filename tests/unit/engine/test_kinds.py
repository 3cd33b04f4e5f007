"""Kinds are found by group, version and kind; those of a policy win."""

from builders import policy

from webhook.domain.workload import Workload
from webhook.domain.workload import template
from webhook.engine.kinds import REGISTERED
from webhook.engine.kinds import kinds_of
from webhook.engine.kinds import workload_of

MINE = Workload(
    name="mine", group="ray.io", versions=("v1",), kind="RayCluster", resource="rayclusters", pods=(template(".x"),)
)


def test_a_kind_of_another_group_is_another_kind() -> None:
    kinds = [workload_of(group, "v1alpha1", "Job", REGISTERED) for group in ("batch.volcano.sh", "batch", "x.example")]
    assert [kind.name if kind else None for kind in kinds] == ["volcano-job", None, None]


def test_a_version_that_is_not_known_is_not_guessed() -> None:
    assert workload_of("ray.io", "v9", "RayCluster", REGISTERED) is None


def test_a_kind_of_the_policy_wins_over_a_registered_one() -> None:
    kinds = kinds_of((policy(workloads=(MINE,)), policy()))
    assert workload_of("ray.io", "v1", "RayCluster", kinds) is MINE
    assert workload_of("ray.io", "v1", "RayService", kinds) is not None
