"""Verdicts on one pod: as written, after repair, and what remains."""

from dataclasses import replace
from typing import Any

import pytest
from builders import GPU
from builders import container
from builders import equal
from builders import pod
from builders import ruling

from webhook.domain.finding import Severity
from webhook.domain.levels import Level
from webhook.domain.levels import Modes
from webhook.domain.policy import OFF
from webhook.domain.policy import Answer
from webhook.domain.policy import Classes
from webhook.domain.policy import Governs
from webhook.domain.rewrite import set_value
from webhook.domain.topology import KubeletSettings
from webhook.engine.decision import Outcome
from webhook.engine.judge import CHECKS
from webhook.engine.judge import Judgement
from webhook.engine.judge import as_refused
from webhook.engine.judge import judge_pod
from webhook.engine.ruling import Ruling
from webhook.sources.policy_file import load_profile

P0 = load_profile("generic-2x4")


def judge(obj: dict[str, object], known: Ruling | None = None, modes: Modes | None = None) -> Judgement:
    chosen = known or ruling()
    return judge_pod(obj, chosen, modes=modes)


def codes(judgement: Judgement, severity: Severity = Severity.FAULT) -> list[str]:
    return sorted({finding.code for finding in judgement.findings if finding.severity is severity})


def test_an_aligned_pod_is_accepted() -> None:
    verdict = judge(pod())

    assert (verdict.outcome, verdict.level, verdict.classes[0].fits) == (Outcome.ACCEPT, Level.ALIGNED, "yes")
    assert verdict.edits == ()
    assert verdict.findings == ()


def test_a_pod_without_accelerators_is_none_of_our_business() -> None:
    verdict = judge(pod(container(image="registry.example/web:1", requests={"cpu": "1"})))

    assert (verdict.outcome, verdict.findings) == (Outcome.SKIP, ())


def test_a_misfit_is_denied_and_nothing_is_edited() -> None:
    verdict = judge(pod(container(requests={"cpu": "8"}, limits={GPU: "8", "memory": "8Gi"})))

    assert verdict.outcome is Outcome.DENY
    assert [finding.code for finding in verdict.remaining] == ["misfit"]
    assert verdict.edits == ()


def test_the_refusal_of_a_misfit_names_the_shape_and_the_pool_that_would_take_it() -> None:
    verdict = judge(pod(container(**equal("184", "1800Gi", 8))))

    assert verdict.remaining[0].message == (
        "8 nvidia.com/gpu never fit one NUMA node of generic-2x4 (4 per NUMA node): run 2 replicas of 4 GPUs, 92 CPUs "
        "and 900Gi each, or a node pool with topology manager policy restricted and distribute-cpus-across-numa, "
        'and in the pod numagate.io/numa-nodes: "2"'
    )


def test_an_invalid_pod_is_not_repaired() -> None:
    verdict = judge(pod(container(requests={"cpu": "8", "memory": "8Gi"}, limits={"cpu": "4", GPU: "1"})))

    assert (verdict.outcome, verdict.edits) == (Outcome.INVALID, ())
    assert codes(verdict, Severity.INVALID) == ["request-above-limit"]


def test_an_accelerator_pod_that_serves_nothing_is_only_warned_about() -> None:
    training = pod(container(image="registry.example/pytorch:1", limits={GPU: "1"}))

    verdict = judge(training, ruling(governs=Governs.INFERENCE))

    assert (verdict.outcome, verdict.governed, verdict.edits, verdict.remaining) == (Outcome.WARN, False, (), ())
    assert codes(verdict) == ["missing-resources"]


def test_with_every_mode_off_nothing_is_refused_or_changed() -> None:
    verdict = judge(pod(container(limits={GPU: "8"})), modes=OFF)

    assert (verdict.outcome, verdict.edits, verdict.remaining) == (Outcome.WARN, (), ())


def test_a_level_below_aligned_lets_a_misfit_pass_and_repairs_the_rest() -> None:
    modes = Modes(enforce=Level.EXCLUSIVE, repair=Level.EXCLUSIVE)

    verdict = judge(pod(container(**equal("7500m", "32Gi", 8))), modes=modes)

    assert verdict.outcome is Outcome.REPAIR
    assert [(edit.code, edit.new) for edit in verdict.edits] == [("fractional-cpu", "8"), ("fractional-cpu", "8")]


def test_repair_up_to_guaranteed_leaves_fractions_alone() -> None:
    modes = Modes(enforce=Level.GUARANTEED, repair=Level.GUARANTEED)

    verdict = judge(pod(container(requests={"cpu": "1500m", "memory": "1Gi"}, limits={GPU: "1"})), modes=modes)

    assert [edit.new for edit in verdict.edits] == ["1500m", "1Gi"]
    assert verdict.repaired_level is Level.GUARANTEED


@pytest.mark.parametrize(
    ("answer", "outcome", "severity"),
    [
        (Answer.ALLOW, Outcome.ACCEPT, None),
        (Answer.WARN, Outcome.ACCEPT, Severity.WARNING),
        (Answer.DENY, Outcome.DENY, Severity.FAULT),
    ],
)
def test_unknown_topology_is_answered_by_the_policy(
    answer: Answer, outcome: Outcome, severity: Severity | None
) -> None:
    verdict = judge(pod(), ruling(machine=None, on_unknown=answer))

    assert verdict.outcome is outcome
    assert [finding.severity for finding in verdict.findings if finding.code == "unknown-topology"] == (
        [severity] if severity else []
    )


def test_qos_and_cpu_rules_hold_with_unknown_topology() -> None:
    verdict = judge(pod(container(**equal("7500m"))), ruling(machine=None))

    assert codes(verdict) == ["fractional-cpu"]
    assert verdict.repaired_level is Level.EXCLUSIVE


def test_a_pod_that_no_class_is_eligible_for_has_an_unknown_topology_and_never_a_misfit() -> None:
    labelled = replace(P0, labels={"pool": "h100"})

    verdict = judge(pod(container(**equal("8", "8Gi", 8)), nodeSelector={"pool": "l4"}), ruling(labelled))

    assert verdict.outcome is Outcome.ACCEPT
    assert codes(verdict, Severity.WARNING) == ["unknown-topology"]


@pytest.mark.parametrize(
    ("answer", "outcome"), [(Answer.ALLOW, Outcome.ACCEPT), (Answer.WARN, Outcome.ACCEPT), (Answer.DENY, Outcome.DENY)]
)
def test_classes_that_enforce_nothing_are_answered_by_the_policy(answer: Answer, outcome: Outcome) -> None:
    loose = replace(P0, kubelet=replace(P0.kubelet, topology_manager_policy="best-effort"))

    verdict = judge(pod(), ruling(loose, on_unenforced=answer))

    assert (verdict.outcome, verdict.classes[0].fits) == (outcome, "unenforced")
    assert verdict.level <= Level.EXCLUSIVE


def test_without_a_static_cpu_manager_a_pod_reaches_guaranteed_at_most() -> None:
    unpinned = replace(P0, kubelet=KubeletSettings())

    assert judge(pod(), ruling(unpinned)).level is Level.GUARANTEED


def test_one_class_that_takes_the_pod_is_enough_and_the_others_are_named() -> None:
    small = replace(load_profile("two-socket-32c"), name="small", labels={"pool": "small"})
    large = replace(P0, name="large", labels={"pool": "large"})

    verdict = judge(pod(container(**equal("40", "300Gi", 4))), ruling(small, large))

    assert verdict.outcome is Outcome.ACCEPT
    warning = next(finding for finding in verdict.findings if finding.code == "refusing-class")
    assert warning.message.startswith("add nodeSelector pool=large: nodes of small would refuse the pod (")


def test_with_classes_all_every_class_must_take_the_pod() -> None:
    small = replace(load_profile("two-socket-32c"), name="small")

    verdict = judge(pod(container(**equal("40", "300Gi", 4))), ruling(small, P0, classes=Classes.ALL))

    assert verdict.outcome is Outcome.DENY
    assert {finding.code for finding in verdict.remaining} == {"misfit"}


def test_findings_do_not_depend_on_the_order_of_keys() -> None:
    first = pod(container(requests={"cpu": "3", "memory": "1.2Gi"}, limits={"memory": "1.2Gi", GPU: "8", "cpu": "4"}))
    second = pod(container(limits={GPU: "8", "cpu": "4", "memory": "1.2Gi"}, requests={"memory": "1.2Gi", "cpu": "3"}))

    assert judge(first).findings == judge(second).findings


def test_every_check_has_a_remedy_that_is_a_sentence() -> None:
    assert [check.code for check in CHECKS if not check.remedy.endswith(".")] == []


def test_a_repair_never_turns_a_pod_that_runs_into_one_that_every_node_refuses() -> None:
    bursting = pod(
        container(requests={"cpu": "20", "memory": "64Gi"}, limits={"cpu": "120", "memory": "64Gi", GPU: "1"})
    )

    verdict = judge(bursting, modes=Modes(enforce=Level.EXCLUSIVE, repair=Level.EXCLUSIVE))

    assert (verdict.outcome, verdict.edits) == (Outcome.DENY, ())


def test_without_enforcement_a_pod_that_no_repair_makes_fit_is_left_as_it_is() -> None:
    verdict = judge(pod(container(limits={GPU: "8"})), modes=Modes(enforce=Level.NONE))

    assert (verdict.outcome, verdict.edits) == (Outcome.WARN, ())


def test_a_share_with_which_the_pod_does_not_fit_is_not_offered() -> None:
    verdict = judge(pod(container("a", **equal("60", "64Gi", 1)), container("b", limits={GPU: "3"})))

    assert {finding.code for finding in verdict.remaining} == {"missing-resources"}
    assert [finding.wanted for finding in verdict.remaining] == [None, None]


def test_nor_is_it_offered_beside_the_repair_of_a_helper() -> None:
    verdict = judge(pod(container(limits={GPU: "8"}), container("exporter")))

    told = {one.path[-1]: one.wanted for one in verdict.remaining if one.container == "server" and one.path[-1] != GPU}
    assert told == {"cpu": None, "memory": None}
    assert verdict.remaining[0].message.endswith("run 2 replicas of 4 GPUs, 94 CPUs and 1007Gi each")


def test_containers_that_fit_only_one_by_one_are_told_the_sum() -> None:
    verdict = judge(pod(container("a", **equal("8", "8Gi", 3)), container("b", **equal("8", "8Gi", 3))))

    assert verdict.remaining[0].message.startswith(
        "6 nvidia.com/gpu never fit together one NUMA node of generic-2x4 (4 per NUMA node): give container a 2 GPUs "
        "and container b 2 GPUs"
    )


def test_a_declared_pod_that_needs_another_pool_is_told_so() -> None:
    declared = pod(container(**equal("48", "400Gi", 8)), annotations={"numagate.io/numa-nodes": "2"})

    message = judge(declared).remaining[0].message

    assert message.endswith(
        ": run 2 replicas of 4 GPUs, 24 CPUs and 200Gi each, without numagate.io/numa-nodes, or a node pool with "
        "topology manager policy restricted and distribute-cpus-across-numa, and in the pod cpu 100 and memory 1010Gi"
    )


def test_a_pod_with_too_many_containers_is_not_simulated() -> None:
    verdict = judge(pod(*(container(f"c{number}", limits={GPU: "1"}) for number in range(201))))

    assert (verdict.outcome, [finding.code for finding in verdict.findings]) == (Outcome.INVALID, ["crowded-pod"])


def test_huge_pages_cannot_be_overcommitted() -> None:
    resources = equal()
    resources["requests"]["hugepages-2Mi"], resources["limits"]["hugepages-2Mi"] = "512Mi", "1Gi"

    assert codes(judge(pod(container(**resources))), Severity.INVALID) == ["overcommitted-resource"]


def test_a_second_container_of_the_same_name_is_invalid() -> None:
    assert codes(judge(pod(container(**equal()), container(**equal()))), Severity.INVALID) == ["malformed-object"]


@pytest.mark.parametrize("section", ["labels", "annotations"])
@pytest.mark.parametrize("value", [{"numagate.io/numa-nodes": 2}, {"a": True}, ["a"]])
def test_metadata_that_is_not_text_is_invalid(section: str, value: object) -> None:
    assert codes(judge(pod(**{section: value})), Severity.INVALID) == ["malformed-object"]


def test_a_value_of_null_is_zero_as_for_the_api_server() -> None:
    verdict = judge(pod(container(limits={"cpu": None, "memory": "8Gi", GPU: "1"})))

    assert verdict.outcome is Outcome.REPAIR
    assert {edit.new for edit in verdict.edits} == {"22"}


def test_under_classes_all_a_helper_is_freed_for_the_class_that_needs_it() -> None:
    roomy = replace(P0, kubelet=replace(P0.kubelet, cpu_manager_policy_options={}))
    obj = pod(container(**equal("14")), init=(container("prepare", **equal("1", "512Mi", None)),))

    verdict = judge(obj, ruling(roomy, P0, classes=Classes.ALL))

    assert [edit.code for edit in verdict.edits] == ["helper-whole-cpu", "helper-whole-cpu"]


@pytest.mark.parametrize(
    "obj",
    [
        pod(container(**equal("7500m"))),
        pod(container(**equal("95", "8Gi", 1))),
        pod(container(**equal("8", "2000Gi", 1))),
        pod(container(**equal("8", "8Gi", 8))),
        pod(container(requests={"cpu": "100", "memory": "8Gi"}, limits={GPU: "1"})),
    ],
)
def test_a_pod_that_writes_what_is_wanted_is_accepted(obj: dict[str, Any]) -> None:
    """Each finding's `wanted` is written where the finding points, as often as findings remain, at most three times."""
    for _ in range(3):
        verdict = judge(obj, modes=Modes(repair=Level.NONE))
        wants = [
            (one.path, one.wanted) for one in as_refused(judge(obj)) if one.wanted and one.path[-1] != "containers"
        ]
        for path, wanted in wants:
            for side in ("requests", "limits"):
                value = wanted.removeprefix("at most ")
                obj = dict(set_value(obj, (*path[:-2], side, path[-1]), value))  # type: ignore[call-overload]
    verdict = judge(obj, modes=Modes(repair=Level.NONE))
    assert (verdict.outcome, verdict.level) == (Outcome.ACCEPT, Level.ALIGNED)


def test_a_limit_ranges_default_that_is_the_share_is_not_missing() -> None:
    text = "LimitRanger plugin set: cpu, memory request for container server; cpu, memory limit for container server"
    obj = pod(container(**equal("22", "252Gi")), annotations={"kubernetes.io/limit-ranger": text})

    assert judge(obj).outcome is Outcome.ACCEPT


def test_fewer_containers_are_simulated_on_many_kinds_of_nodes() -> None:
    made = pod(*(container(f"c{number}", limits={GPU: "1"}) for number in range(50)))
    base = load_profile("generic-2x4")
    many = [replace(base, name=str(number), kubelet=replace(base.kubelet)) for number in range(100)]

    codes = [finding.code for finding in judge_pod(made, ruling(*many), modes=Modes()).findings]
    assert codes == ["crowded-pod"]
    assert "crowded-pod" not in [one.code for one in judge_pod(made, ruling(*many[:10]), modes=Modes()).findings]
