"""Every sample of tests/cases/configurations/samples.yaml is judged as it says."""

import json

import pytest
from configurationtable import Sample
from configurationtable import base
from configurationtable import samples
from configurationtable import small

from webhook import registry
from webhook.cli.kubelet.examine import UNREADABLE
from webhook.cli.kubelet.examine import examine
from webhook.domain.kubelet_configuration import judge
from webhook.domain.kubelet_configuration import rules
from webhook.domain.kubelet_configuration import shape
from webhook.domain.kubelet_configuration.rule import Rule

SAMPLES = list(samples())


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.name)
def test_a_sample_is_judged_as_it_says(sample: Sample) -> None:
    [found] = examine(sample.text, "file.yaml", version=sample.version, node=sample.node)

    assert (found.starts, sorted(told.code for told in found.findings)) == (sample.starts, sorted(sample.found))
    assert not sample.remedy or sample.remedy in [told.remedy for told in found.findings]


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.name)
def test_a_finding_is_one_line_that_says_what_to_write(sample: Sample) -> None:
    [found] = examine(sample.text, "file.yaml", version=sample.version, node=sample.node)

    for told in found.findings:
        assert told.field
        assert told.message
        assert told.remedy
        assert "\n" not in told.message + told.remedy


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.name)
def test_without_a_machine_nothing_is_said_that_needs_one(sample: Sample) -> None:
    [known] = examine(sample.text, "file.yaml", version=sample.version, node=sample.node)
    [blind] = examine(sample.text, "file.yaml", version=sample.version, node=None)

    fatal = {told.code for told in blind.findings if told.fatal}
    assert fatal <= {told.code for told in known.findings if told.fatal}
    assert blind.starts is (False if fatal else None)


def test_every_rule_has_a_sample() -> None:
    names = {rule.name for rule in registry.load(rules, "RULE", Rule)}

    assert names | {shape.CODE, shape.REPEATED, UNREADABLE} == {code for sample in SAMPLES for code in sample.found}


def test_what_no_rule_says_is_said_in_the_words_of_the_kubelet(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(judge, "startup_error", lambda node: f"no start on {node.name}")

    [found] = examine(json.dumps(base()), "file.yaml", version=(1, 37), node=small())

    assert [(told.code, told.message) for told in found.findings] == [
        (judge.CODE, "the kubelet says: no start on small")
    ]


def test_a_finding_has_the_line_of_its_field() -> None:
    text = "apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\n\ntopologyManagerScope: node\n"

    [found] = examine(text, "file.yaml", version=(1, 37), node=None)

    assert [(told.field, told.line) for told in found.findings if told.fatal] == [("topologyManagerScope", 4)]


@pytest.mark.parametrize(
    ("fields", "place"),
    [
        ({"kubeReserved": {"cpu": "250m"}}, ("kubeReserved.cpu", "250m")),
        ({"kubeReserved": {"cpu": "17"}}, ("kubeReserved.cpu", "17")),
        ({"kubeReserved": {"cpu": "16"}}, ("kubeReserved.cpu", "16")),
        ({"reservedSystemCPUs": "0-3,8-11"}, ("reservedSystemCPUs", "0-3,8-11")),
        (
            {"memoryManagerPolicy": "None", "kubeReserved": {"cpu": "4", "memory": "65Gi"}},
            ("kubeReserved.memory", "65Gi"),
        ),
        (
            {"memoryManagerPolicy": "None", "evictionHard": {"memory.available": "65Gi"}, "kubeReserved": {"cpu": "4"}},
            ("evictionHard[memory.available]", "65Gi"),
        ),
    ],
)
def test_a_finding_names_what_is_written_where_it_is_written(fields: dict[str, object], place: tuple[str, str]) -> None:
    text = json.dumps(base(**{"reservedSystemCPUs": None, **fields}))

    [found] = examine(text, "file.yaml", version=(1, 37), node=small())

    assert place in [(told.field, told.value) for told in found.findings]


@pytest.mark.parametrize(
    ("fields", "remedy"),
    [
        ({}, 'add reservedSystemCPUs with whole cores, such as "0,64", or systemReserved: {cpu: "2"}'),
        ({"kubeReservedCgroup": "/runtime"}, 'write cpu: "2" in systemReserved'),
    ],
)
def test_without_a_machine_a_reservation_of_cpus_is_told_that_can_be(fields: dict[str, object], remedy: str) -> None:
    [found] = examine(json.dumps(base(reservedSystemCPUs=None, **fields)), "x", version=(1, 37), node=None)

    assert [told.remedy for told in found.findings] == [remedy]


def test_a_value_that_cannot_be_read_hides_no_other() -> None:
    written = base(
        kubeReserved={"cpu": "lots", "memory": "much", "nvidia.com/gpu": "1"},
        maxPods="many",
        reservedSystemCPUs="0, 4",
        reservedSystemCpus="0",
        topologyManagerScope="node",
    )

    [found] = examine(json.dumps(written, indent=1), "file.yaml", version=(1, 37), node=small())

    assert {(told.field, told.code) for told in found.findings} == {
        ("kubeReserved.cpu", UNREADABLE),
        ("kubeReserved.memory", UNREADABLE),
        ("maxPods", shape.CODE),
        ("reservedSystemCPUs", UNREADABLE),
        ("reservedSystemCpus", "unknown-field"),
        ("topologyManagerScope", "unknown-policy"),
    }
    assert [told.line for told in found.findings] == sorted(told.line for told in found.findings)


def test_a_version_newer_than_the_table_does_not_refuse_what_it_may_know() -> None:
    text = json.dumps(base(featureGates={"Tomorrow": True}, newField=1))

    [found] = examine(text, "file.yaml", version=(1, 99), node=small())

    assert (found.starts, [told.code for told in found.findings]) == (True, ["feature-gate", "unknown-field"])


def test_percentages_without_a_machine_are_not_checked() -> None:
    text = json.dumps(base(evictionHard={"memory.available": "2%"}))

    [found] = examine(text, "file.yaml", version=(1, 37), node=None)

    assert [(told.code, told.fatal) for told in found.findings] == [("reserved-memory-sum", False)]
