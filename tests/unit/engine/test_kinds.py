"""Kinds are found by group, version and kind; those of a policy win."""

from dataclasses import replace

from builders import container
from builders import equal
from builders import pod
from builders import policy
from builders import request
from builders import world

from webhook.domain.policy import Accelerators
from webhook.domain.policy import ExemptionRule
from webhook.domain.policy import Exemptions
from webhook.domain.policy import widest
from webhook.domain.workload import Workload
from webhook.domain.workload import template
from webhook.engine.decision import Outcome
from webhook.engine.kinds import REGISTERED
from webhook.engine.kinds import kinds_of
from webhook.engine.kinds import workload_of
from webhook.engine.review import review

MINE = Workload(
    name="mine", group="ray.io", versions=("v1",), kind="RayCluster", resource="rayclusters", pods=(template(".x"),)
)


def test_a_kind_of_another_group_is_another_kind() -> None:
    kinds = [workload_of(group, "v1alpha1", "Job", REGISTERED) for group in ("batch.volcano.sh", "batch", "x.example")]
    assert [kind.name if kind else None for kind in kinds] == ["volcano-job", None, None]


def test_a_version_that_is_not_known_is_not_guessed() -> None:
    assert workload_of("ray.io", "v9", "RayCluster", REGISTERED) is None


def test_the_widest_policy_has_the_kinds_of_all() -> None:
    one, other = policy(workloads=(MINE,)), policy(workloads=(MINE, replace(MINE, kind="Other")))
    assert widest((one, other)).workloads == (MINE, replace(MINE, kind="Other"))


def test_the_widest_policy_leaves_out_only_what_all_leave_out() -> None:
    one = policy(accelerators=Accelerators(("x.io/*",), ("x.io/nic", "x.io/memory")), exemptions=_exempting("a", "b"))
    other = policy(accelerators=Accelerators(("y.io/npu",), ("x.io/nic",)), exemptions=_exempting("b", "c"))
    found = widest((one, other))

    assert [found.accelerators.includes(f"x.io/{name}") for name in ("nic", "memory")] == [False, True]
    assert found.accelerators.includes("y.io/npu")
    assert found.exemptions.lasting_namespaces == ("b",)


def _exempting(*namespaces: str) -> Exemptions:
    return Exemptions(rules=(ExemptionRule("theirs", namespaces=namespaces),), pods=False)


def test_a_kind_that_only_the_policy_knows_is_judged_at_admission() -> None:
    fleet = replace(MINE, group="acme.example", kind="Fleet", resource="fleets")
    refused = {"apiVersion": "acme.example/v1", "kind": "Fleet", "x": pod(container(**equal("16", "64Gi", 8)))}
    asked = request(refused, group="acme.example", kind="Fleet", resource="fleets")
    assert (
        review(asked, world(workloads=(fleet,))).causes[0][0] == "x.spec.containers[0].resources.limits[nvidia.com/gpu]"
    )
    assert review(asked, world()).outcome is Outcome.UNKNOWN


def test_a_kind_of_the_policy_wins_over_a_registered_one() -> None:
    kinds = kinds_of((policy(workloads=(MINE,)), policy()))
    assert workload_of("ray.io", "v1", "RayCluster", kinds) is MINE
    assert workload_of("ray.io", "v1", "RayService", kinds) is not None
