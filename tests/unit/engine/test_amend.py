"""Repairs: what is edited, and what never is."""

import pytest
from builders import GPU
from builders import container
from builders import equal
from builders import pod
from builders import ruling

from webhook.domain.levels import Modes
from webhook.domain.rewrite import set_value
from webhook.engine.decision import Outcome
from webhook.engine.judge import Judgement
from webhook.engine.judge import judge_pod
from webhook.engine.ruling import Ruling


def repaired(obj: dict[str, object], known: Ruling | None = None) -> Judgement:
    return judge_pod(obj, known or ruling(), modes=Modes())


def edits(obj: dict[str, object], known: Ruling | None = None) -> list[tuple[str, str, str | None, str]]:
    return [
        (edit.container, f"{edit.path[-2]}.{edit.path[-1]}", edit.old, edit.new) for edit in repaired(obj, known).edits
    ]


def test_a_missing_limit_becomes_the_request() -> None:
    obj = pod(container(requests={"cpu": "16", "memory": "64Gi"}, limits={GPU: "1"}))

    assert edits(obj) == [("server", "limits.cpu", None, "16"), ("server", "limits.memory", None, "64Gi")]


def test_a_request_is_raised_to_its_limit() -> None:
    obj = pod(container(requests={"cpu": "2", "memory": "25Gi"}, limits={"cpu": "10", "memory": "25Gi", GPU: "2"}))

    assert edits(obj) == [("server", "requests.cpu", "2", "10")]


def test_memory_that_is_a_slip_is_left_as_it_is() -> None:
    assert edits(pod(container(**equal("8", "100m", 1)))) == []
    assert edits(pod(container(**equal("8", "1048576500m", 1)))) == [
        ("server", "limits.memory", "1048576500m", "1048577"),
        ("server", "requests.memory", "1048576500m", "1048577"),
    ]


def test_a_request_that_nobody_wrote_is_not_written_by_the_repair() -> None:
    assert edits(pod(container(limits={"cpu": "7500m", "memory": "8Gi", GPU: "1"}))) == [
        ("server", "limits.cpu", "7500m", "8")
    ]


def test_whole_cores_are_given_where_a_class_hands_out_whole_cores() -> None:
    assert [new for *_, new in edits(pod(container(**equal("5"))))] == ["6", "6"]
    assert edits(pod(container(**equal("5"))), ruling(machine="two-socket-32c")) == []


def test_fractional_bytes_become_whole_ones() -> None:
    assert [new for *_, new in edits(pod(container(**equal(memory="1.2Gi"))))] == ["1288490189", "1288490189"]


def test_missing_values_are_the_fair_share_of_a_numa_node() -> None:
    obj = pod(container(limits={GPU: "2"}))

    assert edits(obj) == [("server", "limits.cpu", None, "46"), ("server", "limits.memory", None, "504Gi")]


def test_the_helpers_share_is_taken_off() -> None:
    obj = pod(container(limits={GPU: "4"}), container("proxy", **equal("2500m", "8Gi", None)))

    assert edits(obj) == [("server", "limits.cpu", None, "90"), ("server", "limits.memory", None, "1000Gi")]


def test_without_topology_missing_values_are_denied() -> None:
    verdict = repaired(pod(container(limits={GPU: "2"})), ruling(machine=None))

    assert verdict.outcome is Outcome.DENY
    assert {finding.code for finding in verdict.remaining} == {"missing-resources"}


def test_a_helper_becomes_equal_and_not_whole() -> None:
    proxy = container("proxy", requests={"cpu": "100m", "memory": "128Mi"}, limits={"cpu": "2", "memory": "1Gi"})

    assert edits(pod(container(**equal()), proxy)) == [
        ("proxy", "limits.cpu", "2", "1990m"),
        ("proxy", "requests.cpu", "100m", "1990m"),
        ("proxy", "requests.memory", "128Mi", "1Gi"),
    ]


def test_a_helper_that_is_equal_and_whole_is_left_alone_where_the_pod_fits() -> None:
    verdict = repaired(pod(container(**equal()), container("agent", **equal("2", "1Gi", None))))

    assert (verdict.outcome, verdict.edits) == (Outcome.ACCEPT, ())
    assert [finding.code for finding in verdict.findings] == ["helper-whole-cpu"]


def test_a_helper_that_is_equal_and_whole_is_freed_where_the_fit_needs_it() -> None:
    obj = pod(container(**equal("14")), init=(container("prepare", **equal("1", "512Mi", None)),))

    assert edits(obj) == [("prepare", "limits.cpu", "1", "990m"), ("prepare", "requests.cpu", "1", "990m")]


def test_helpers_without_values_get_those_of_the_policys_table() -> None:
    obj = pod(container(**equal()), container("something", image="registry.example/own:1"))

    assert edits(obj) == [("something", "limits.cpu", None, "50m"), ("something", "limits.memory", None, "256Mi")]


def test_spec_resources_are_never_repaired() -> None:
    obj = pod(container(limits={GPU: "1"}), resources={"limits": {"cpu": "16", "memory": "64Gi"}})

    verdict = repaired(obj)

    assert (verdict.outcome, verdict.edits) == (Outcome.DENY, ())
    assert [finding.code for finding in verdict.remaining] == ["pod-level-resources"]


def test_a_limit_ranges_default_is_no_wish_for_an_accelerator_container() -> None:
    annotation = (
        "LimitRanger plugin set: cpu, memory request for container server; cpu, memory limit for container server"
    )
    obj = pod(
        container(requests={"cpu": "50m", "memory": "32Mi"}, limits={"cpu": "100m", "memory": "128Mi", GPU: "1"}),
        annotations={"kubernetes.io/limit-ranger": annotation},
    )

    assert [(what, new) for _, what, _, new in edits(obj)] == [
        ("limits.cpu", "22"),
        ("requests.cpu", "22"),
        ("limits.memory", "252Gi"),
        ("requests.memory", "252Gi"),
    ]


def test_a_limit_ranges_default_is_kept_for_a_helper() -> None:
    annotation = "LimitRanger plugin set: cpu, memory request for init container prepare"
    helper = container("prepare", requests={"cpu": "50m", "memory": "32Mi"}, limits={"cpu": "50m", "memory": "64Mi"})
    obj = pod(container(**equal()), init=(helper,), annotations={"kubernetes.io/limit-ranger": annotation})

    assert edits(obj) == [("prepare", "requests.memory", "32Mi", "64Mi")]


@pytest.mark.parametrize(
    "resources",
    [
        {"requests": {"cpu": "3"}, "limits": {"cpu": "5", "memory": "1.2Gi", GPU: "2"}},
        {"limits": {GPU: "1"}},
        {"requests": {"cpu": "500m", "memory": "1Gi"}, "limits": {GPU: "1"}},
    ],
)
def test_repairing_twice_is_repairing_once(resources: dict[str, dict[str, str]]) -> None:
    once = repaired(pod(container(**resources), container("proxy", requests={"cpu": "1"})))

    again = judge_pod(once.repaired, ruling(), modes=Modes())

    assert (again.outcome, again.edits, again.repaired) == (Outcome.ACCEPT, (), once.repaired)


def test_the_original_is_never_changed() -> None:
    obj = pod(container(limits={GPU: "1"}))

    repaired(obj)

    assert obj == pod(container(limits={GPU: "1"}))


def test_setting_a_value_creates_its_parents() -> None:
    assert set_value({"a": [{"b": None}]}, ("a", 0, "b", "c/d"), "1") == {"a": [{"b": {"c/d": "1"}}]}
