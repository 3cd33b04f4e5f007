"""Which state files have to go: by two configurations, and by what lies on the node."""

from typing import Any

import pytest
from configurationtable import base
from configurationtable import small

from webhook.cli.kubelet.examine import subject_of
from webhook.config.document import from_object
from webhook.domain import cpuset
from webhook.domain.kubelet_configuration.state_files import Stale
from webhook.domain.kubelet_configuration.state_files import procedure
from webhook.domain.kubelet_configuration.state_files import stale_after
from webhook.domain.kubelet_configuration.state_files import stale_in
from webhook.domain.kubelet_configuration.subject import Subject
from webhook.domain.observation import CPU_STATE
from webhook.domain.observation import MEMORY_STATE
from webhook.domain.observation import StateFile

STRICT = {"full-pcpus-only": "true", "strict-cpu-reservation": "true"}


def subject(*, known: bool = True, **fields: Any) -> Subject:
    """Read the base with other fields."""
    return subject_of(from_object(base(**fields), "file"), (1, 37), small() if known else None)


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ({}, {}, []),
        ({}, {"topologyManagerPolicy": "restricted", "maxPods": 50}, []),
        ({"cpuManagerPolicy": "none", "cpuManagerPolicyOptions": None}, {}, [CPU_STATE]),
        ({}, {"cpuManagerPolicy": "none", "cpuManagerPolicyOptions": None}, [CPU_STATE]),
        ({}, {"cpuManagerPolicyOptions": STRICT}, [CPU_STATE]),
        ({"cpuManagerPolicyOptions": STRICT}, {}, [CPU_STATE]),
        ({}, {"reservedSystemCPUs": "0,1,8,9"}, [CPU_STATE]),
        ({}, {"memoryManagerPolicy": "None"}, [MEMORY_STATE]),
        ({}, {"reservedMemory": [{"numaNode": 0, "limits": {"memory": "2Gi"}}]}, [MEMORY_STATE]),
        ({}, {"cpuManagerPolicyOptions": {"nonsense": "true"}}, []),
    ],
    ids=str,
)
@pytest.mark.parametrize("known", [True, False])
def test_what_follows_another_configuration(
    before: dict[str, Any], after: dict[str, Any], expected: list[str], *, known: bool
) -> None:
    found = stale_after(subject(known=known, **before), subject(known=known, **after))

    assert [one.name for one in found] == expected


@pytest.mark.parametrize(
    ("file", "fields", "stale"),
    [
        (StateFile(CPU_STATE, "static", cpuset.parse("0-15")), {}, False),
        (StateFile(CPU_STATE, "static", 0), {}, False),
        (StateFile(CPU_STATE, "none", cpuset.parse("0-15")), {}, True),
        (StateFile(CPU_STATE, "static", cpuset.parse("1-15")), {}, True),
        (StateFile(CPU_STATE, "static", cpuset.parse("0-15")), {"cpuManagerPolicyOptions": STRICT}, True),
        (StateFile(CPU_STATE, "static", cpuset.parse("1-3")), {"cpuManagerPolicyOptions": STRICT}, False),
        (StateFile(CPU_STATE, "static", cpuset.parse("0-16")), {}, True),
        (StateFile(CPU_STATE, "static", cpuset.parse("0-12"), cpuset.parse("13-15")), {}, False),
        (StateFile(CPU_STATE, "static", cpuset.parse("0-12"), cpuset.parse("13-14")), {}, True),
        (StateFile(CPU_STATE, "static", cpuset.parse("0-15"), cpuset.parse("16")), {}, True),
        (StateFile(CPU_STATE, "static", 0, cpuset.parse("8-15")), {}, True),
        (StateFile(MEMORY_STATE, "Static"), {}, False),
        (StateFile(MEMORY_STATE, "None"), {}, True),
        (StateFile("dra_manager_state", "None"), {}, False),
    ],
    ids=str,
)
def test_what_lies_on_the_node(file: StateFile, fields: dict[str, Any], stale: bool) -> None:
    assert [one.name for one in stale_in([file], subject(**fields))] == ([file.name] if stale else [])


def test_a_folder_that_a_shell_would_take_apart_is_quoted() -> None:
    steps = procedure((Stale("cpu_manager_state", "x"),), "/var/lib/my kubelet;$(id)/")

    assert "rm -f '/var/lib/my kubelet;$(id)/cpu_manager_state'" in steps


def test_nothing_stale_needs_no_procedure() -> None:
    assert procedure((), "/var/lib/kubelet") == ()
