"""Compares `numagate kubelet` with the kubelet's own reader, validation and managers.

NUMAGATE_KUBERNETES sets with the kubelet of which version.
"""

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from configurationtable import base
from configurationtable import samples
from configurationtable import small
from differential.configuration_comparison import Configurations
from differential.configuration_comparison import starts
from differential.configurations import Configured
from differential.known_facts import as_known
from differential.older import VERSION
from differential.oracle import Answer
from differential.oracle import Oracle
from differential.oracle import Question

from webhook.cli.kubelet import write
from webhook.cli.kubelet.examine import subject_of
from webhook.config.document import from_object
from webhook.domain.kubelet_configuration.draft import Wish
from webhook.domain.kubelet_configuration.draft import draft
from webhook.domain.kubelet_configuration.state_files import stale_after
from webhook.domain.kubelet_configuration.state_files import stale_in
from webhook.domain.kubelet_configuration.subject import Subject
from webhook.domain.observation import CPU_STATE
from webhook.domain.observation import StateFile
from webhook.domain.topology import NodeClass
from webhook.sources.kubelet_versions import load_known
from webhook.sources.machines import list_machines
from webhook.sources.machines import load_machine

COUNT = 300
SEED = 1
WISHES = (
    Wish(VERSION),
    Wish(VERSION, policy="restricted", scope="container", cpus=6, memory=24 << 30),
    Wish(VERSION, policy="best-effort", options={"distribute-cpus-across-numa": "true", "align-by-socket": "true"}),
)
STRICT = {"full-pcpus-only": "true", "strict-cpu-reservation": "true"}
CHANGES: tuple[tuple[dict[str, Any], dict[str, Any]], ...] = (
    ({}, {}),
    ({}, {"topologyManagerPolicy": "restricted"}),
    ({"cpuManagerPolicy": None, "cpuManagerPolicyOptions": None}, {}),
    ({}, {"cpuManagerPolicy": None, "cpuManagerPolicyOptions": None}),
    ({"memoryManagerPolicy": None, "reservedMemory": None}, {}),
    ({}, {"memoryManagerPolicy": None}),
    ({}, {"cpuManagerPolicyOptions": STRICT}),
    ({"cpuManagerPolicyOptions": {"strict-cpu-reservation": "true"}}, {}),
    ({}, {"reservedMemory": [{"numaNode": 0, "limits": {"memory": "2Gi"}}]}),
)
"""Configurations that follow each other, laid over the base of the samples."""


def test_made_up_configurations_start_or_not_as_with_the_real_kubelet(kubelet_oracle: Oracle) -> None:
    found = Configurations(kubelet_oracle.ask, SEED, VERSION).compare(0, COUNT)

    assert [text() for text in found.differences[:1]] == []
    assert min(found.outcomes["starts"], found.outcomes["does not start"]) > COUNT // 4


def test_every_sample_starts_or_not_as_it_says(kubelet_oracle: Oracle) -> None:
    made = [one for one in samples() if one.version == VERSION]
    asked = [Configured(one.name, one.node, one.text, one.version).as_question() for one in made]

    answers = in_time(kubelet_oracle, asked)

    said = {one.name: one.starts for one in made}
    assert {name: starts(answer) for name, answer in answers.items()} == {name: said[name] for name in answers}


def test_what_is_generated_starts_on_every_machine_of_the_library(kubelet_oracle: Oracle) -> None:
    asked = []
    for name in list_machines():
        node = load_machine(name)
        for number, wish in enumerate(WISHES):
            text = write.document(draft(node, wish), node=name, version=".".join(map(str, VERSION)))
            asked.append(Configured(f"{name} {number}", node, text, VERSION).as_question())

    answers = in_time(kubelet_oracle, asked)

    assert {name: answer["error"] for name, answer in answers.items() if not starts(answer)} == {}


def test_a_kubelet_whose_state_files_have_to_go_does_not_start_with_them(kubelet_oracle: Oracle) -> None:
    pairs = [(base(**before), base(**after)) for before, after in CHANGES]
    asked = [
        {**Configured(str(number), small(), json.dumps(now), VERSION).as_question(), "was": json.dumps(was)}
        for number, (was, now) in enumerate(pairs)
    ]

    answers = in_time(kubelet_oracle, asked)

    stale = {str(number): stale_after(*(read(one) for one in pair)) for number, pair in enumerate(pairs)}
    assert {name: starts(answer) for name, answer in answers.items()} == {name: not stale[name] for name in answers}
    assert {starts(answer) for answer in answers.values()} == {True, False}


@pytest.mark.parametrize("strict", [False, True])
def test_a_kubelet_whose_machine_has_other_cpus_than_its_state_file_does_not_start(
    kubelet_oracle: Oracle, *, strict: bool
) -> None:
    written = base(cpuManagerPolicyOptions=STRICT) if strict else base()
    text = json.dumps(written)
    machines = {"whole": small(), "without a core": without_a_core(small())}
    asked = [
        {
            **Configured(f"{before}, {now}", machines[now], text, VERSION).as_question(),
            "was": text,
            "wasNUMA": Configured("", machines[before], text, VERSION).as_question()["numa"],
        }
        for before in machines
        for now in machines
    ]

    answers = in_time(kubelet_oracle, asked)

    stale = {
        f"{before}, {now}": stale_in([left_by(machines[before], written)], read(written, machines[now]))
        for before in machines
        for now in machines
    }
    assert {name: starts(answer) for name, answer in answers.items()} == {name: not stale[name] for name in answers}
    assert {starts(answer) for answer in answers.values()} == {True, False}


def without_a_core(node: NodeClass) -> NodeClass:
    """Answer the machine with the last core of its last NUMA node switched off."""
    *cells, last = node.cells
    return replace(node, cells=(*cells, replace(last, cores=last.cores[:-1])))


def left_by(node: NodeClass, written: dict[str, Any]) -> StateFile:
    """Answer the CPU manager's state file of a node without pods."""
    shared = 0
    for cell in node.cells:
        shared |= cell.cpus
    reserved = read(written, node).reserved_cpus() if "strict-cpu-reservation" in str(written) else 0
    return StateFile(CPU_STATE, "static", shared & ~reserved, 0)


def in_time(oracle: Oracle, asked: Sequence[Question]) -> dict[str, Answer]:
    """Ask, and answer by name what a busy machine did not leave too late: most."""
    answers = zip(asked, oracle.ask(asked), strict=True)
    found = {question["name"]: answer for question, answer in answers if not answer.get("timeout")}
    assert len(found) > len(asked) * 2 // 3
    return found


def read(written: dict[str, Any], node: NodeClass | None = None) -> Subject:
    """Read a configuration for a machine, by default that of the samples."""
    return subject_of(from_object(written, "file"), VERSION, node or small())


def test_the_table_of_what_a_version_knows_is_what_its_kubelet_says(kubelet_oracle: Oracle) -> None:
    assert as_known(kubelet_oracle.ask([{"facts": True}])[0], VERSION) == load_known(VERSION)
