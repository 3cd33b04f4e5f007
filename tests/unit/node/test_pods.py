"""A pod is put together of its object, the kubelet's word, its cgroups and its processes."""

from dataclasses import replace
from datetime import UTC
from datetime import datetime
from typing import Any

import pytest
from builders import container
from hypothesis import given
from nodepods import NODE
from nodepods import running_pod
from nodepods import status as status_of
from nodetree import container_id
from nodetree import pod_uid
from strategies import json_values
from strategies import pods

from webhook.domain.observation import Machine
from webhook.domain.observation import ObservedCgroup
from webhook.domain.observation import ObservedContainer
from webhook.domain.observation import ObservedDevice
from webhook.domain.observation import ObservedProcess
from webhook.domain.observation import PciDevice
from webhook.domain.topology import Cell
from webhook.domain.topology import Core
from webhook.node.pods import Seen
from webhook.node.pods import container_ids
from webhook.node.pods import observe_pod
from webhook.node.pods import of_node
from webhook.node.pods import placed
from webhook.node.readers.pod_resources import ContainerGrant
from webhook.node.readers.pod_resources import Grants
from webhook.node.readers.processes import ContainerProcesses

GPU = "nvidia.com/gpu"
MACHINE = Machine(
    cells=(Cell(0, 1, (Core((0,), 0),)), Cell(1, 1, (Core((1,), 1),)), Cell(2, 1)),
    online=0b11,
    pci=(PciDevice("0000:3b:00.0", 0x020000, 1), PciDevice("0000:3b:00.1", 0x020000, None)),
)
GRANT = ContainerGrant(0b10, {"memory": (4096, 0b10)}, (ObservedDevice(GPU, "GPU-0", 0b10),))
CGROUP = ObservedCgroup("/x", None, 0b10, None, 0b10, None)
PROCESS = ObservedProcess(7, "vllm", 0b10, 0b10, None)


def seen(*processes: ObservedProcess, left_out: int = 0, **fields: Any) -> Seen:
    """Make what was read of a node with one container."""
    found = ContainerProcesses()
    found.read, found.left_out = list(processes), left_out
    everything = Seen(
        machine=MACHINE,
        grants=Grants({("team-a", "llm-0", "server"): GRANT}),
        no_grants="",
        cgroups={container_id(): CGROUP},
        no_cgroups="",
        processes={container_id(): found},
    )
    return replace(everything, **fields)


def only(pod: dict[str, Any], what: Seen) -> ObservedContainer:
    """Answer the one container of a pod."""
    (found,) = observe_pod(pod, what).containers
    return found


def reasons(found: ObservedContainer) -> dict[str, str]:
    """Answer what was not read, and why."""
    return {one.field: one.reason for one in found.unread}


def test_a_pod_is_put_together() -> None:
    pod = running_pod()
    found = observe_pod(pod, seen(PROCESS))

    assert (found.namespace, found.name, found.uid) == ("team-a", "llm-0", pod_uid())
    assert found.raw is pod
    assert found.containers == (
        ObservedContainer(
            name="server",
            id=container_id(),
            started=datetime(2026, 11, 30, 8, tzinfo=UTC),
            exclusive_cpus=0b10,
            pinned_memory={"memory": (4096, 0b10)},
            devices=GRANT.devices,
            cgroup=CGROUP,
            processes=(PROCESS,),
        ),
    )


def test_sidecars_are_among_the_containers_and_init_containers_are_not() -> None:
    pod = running_pod(
        "llm-0", container("a"), container("b"), init=(container("load"), container("proxy", restartPolicy="Always"))
    )

    assert [one.name for one in observe_pod(pod, seen()).containers] == ["proxy", "a", "b"]


def test_init_and_ephemeral_containers_that_run_are_guests() -> None:
    pod = running_pod(
        init=(container("load"), container("proxy", restartPolicy="Always"), container("done")),
        ids={"load": 5, "proxy": 6, "server": 7},
        ephemeralContainers=[{"name": "debugger"}, {"name": "later"}],
    )
    pod["status"]["ephemeralContainerStatuses"] = [status_of("debugger", 8), status_of("later", None)]
    found = observe_pod(pod, seen(cgroups={container_id(8): CGROUP}))

    assert [(one.name, one.id) for one in found.guests] == [("load", container_id(5)), ("debugger", container_id(8))]
    assert [one.cgroup for one in found.guests] == [None, CGROUP]
    assert set(container_ids(pod)) == {container_id(number) for number in (5, 6, 7, 8)}


@pytest.mark.parametrize(
    ("policies", "code", "ended"),
    [
        ({"pod": "Never"}, 1, True),
        ({"pod": "OnFailure"}, 0, True),
        ({"pod": "OnFailure"}, 1, False),
        ({"pod": "Always"}, 0, False),
        ({}, 0, False),
        ({"pod": "Always", "restartPolicy": "Never"}, 0, True),
        ({"pod": "Never", "restartPolicy": "Always"}, 0, False),
        ({"pod": "Never", "restartPolicyRules": [{"action": "Restart"}]}, 1, False),
    ],
)
def test_a_container_that_is_not_started_again_has_ended(policies: dict[str, Any], code: int, ended: bool) -> None:
    spec = {"restartPolicy": policies.pop("pod")} if "pod" in policies else {}
    pod = running_pod("llm-0", container("server", **policies), container("other"), **spec)
    pod["status"]["containerStatuses"][0]["state"] = {"terminated": {"exitCode": code}}
    found = observe_pod(pod, seen())

    assert [(one.started is None, one.ended) for one in found.containers] == [(True, ended), (False, False)]


def test_a_sidecar_that_went_down_is_started_again_whatever_its_pod_says() -> None:
    pod = running_pod(init=(container("proxy", restartPolicy="Always"),), restartPolicy="Never")
    pod["status"]["initContainerStatuses"][0]["state"] = {"terminated": {"exitCode": 0}}

    assert [one.ended for one in observe_pod(pod, seen()).containers] == [False, False]


def test_pods_that_ended_are_elsewhere_or_on_no_node_yet_are_left_out() -> None:
    known = [
        running_pod("a"),
        running_pod("b", phase="Succeeded"),
        running_pod("c", phase="Failed"),
        running_pod("d", phase="Pending"),
        {**running_pod("e"), "spec": {"nodeName": "node-2"}},
        {**running_pod("f"), "spec": {}},
        {},
    ]

    assert [one["metadata"]["name"] for one in of_node(known, NODE)] == ["a", "d"]


def test_a_pod_that_is_given_twice_counts_once_as_it_was_given_last() -> None:
    older, ended = running_pod("a", phase="Pending"), running_pod("b", number=2, phase="Succeeded")
    known = [older, running_pod("b", number=2), running_pod("a"), ended, running_pod("b", number=3)]

    found = [(one["metadata"]["uid"], one["status"]["phase"]) for one in of_node(known, NODE)]

    assert found == [(pod_uid(1), "Running"), (pod_uid(3), "Running")]


def test_only_containers_that_run_are_looked_for() -> None:
    pod = running_pod("llm-0", container("a"), container("b"), ids={"b": 5})
    pod["status"]["containerStatuses"].append({"name": "c", "containerID": "odd", "state": {"running": {"a": 1}}})

    assert list(container_ids(pod)) == [container_id(5)]


def test_a_container_that_has_not_started_has_no_start_and_nothing_missing() -> None:
    found = only(running_pod(ids={}), seen(grants=Grants({("team-a", "llm-0", "server"): ContainerGrant(0, {}, ())})))

    assert (found.started, found.id, found.cgroup, found.processes) == (None, "", None, ())
    assert (found.exclusive_cpus, found.devices, found.unread) == (0, (), ())


def test_a_started_container_without_cgroup_or_processes_says_so() -> None:
    found = only(running_pod(), seen(cgroups={}, processes={}))

    assert (found.cgroup, found.processes) == (None, ())
    assert reasons(found) == {
        "cgroup": f"no cgroup of container {container_id()} was found",
        "processes": "none was found: it has ended, or /proc is not that of the host (hostPID)",
    }


def test_processes_that_were_not_read_are_counted() -> None:
    assert (
        reasons(only(running_pod(), seen(PROCESS, left_out=8)))["processes"] == "520 were found, of which 512 were read"
    )


@pytest.mark.parametrize(
    ("grants", "reason"),
    [
        (None, "no socket"),
        (Grants({}), "the kubelet does not list this container (PodResources)"),
        (
            Grants({("team-a", "llm-0", "server"): GRANT}, frozenset({("team-a", "llm-0")})),
            "the kubelet lists two pods of this name, one of which has ended, and does not tell them apart",
        ),
    ],
)
def test_without_the_kubelets_word_three_fields_are_unread(grants: Grants | None, reason: str) -> None:
    found = only(running_pod(), seen(PROCESS, grants=grants, no_grants="no socket"))

    assert (found.exclusive_cpus, found.pinned_memory, found.devices) == (None, None, None)
    assert reasons(found) == dict.fromkeys(("exclusive_cpus", "pinned_memory", "devices"), reason)


@pytest.mark.parametrize(
    ("identifier", "cells", "expected"),
    [
        ("GPU-0", 0b01, 0b01),
        ("GPU-0", 0b100, 0b100),  # a NUMA node that is the GPU's own memory
        ("GPU-0", None, None),
        ("0000:3b:00.0", None, 0b10),
        ("0000:3b:00.0", 0b01, 0b01),
        ("0000:3b:00.1", None, None),
        ("0000:ff:00.0", None, None),
        ("GPU-0", 0b011, None),
        ("GPU-0", 0b111, None),
    ],
)
def test_a_device_is_where_the_kubelet_says_or_sysfs_and_near_everything_is_nowhere(
    identifier: str, cells: int | None, expected: int | None
) -> None:
    assert placed(ObservedDevice(GPU, identifier, cells), MACHINE) == ObservedDevice(GPU, identifier, expected)


def test_on_one_numa_node_a_device_is_there() -> None:
    machine = replace(MACHINE, cells=MACHINE.cells[:1])

    assert placed(ObservedDevice(GPU, "GPU-0", 0b1), machine).cells == 0b1


def test_a_device_near_everything_says_so() -> None:
    grant = replace(GRANT, devices=(ObservedDevice(GPU, "GPU-0", 0b11),))
    found = only(running_pod(), seen(PROCESS, grants=Grants({("team-a", "llm-0", "server"): grant})))

    assert found.devices == (ObservedDevice(GPU, "GPU-0", None),)
    assert reasons(found) == {"devices": "GPU-0 is near every NUMA node, so it has no home"}


@given(json_values, pods())
def test_no_object_raises(value: Any, pod: dict[str, Any]) -> None:
    for status in (value, {"containerStatuses": value}, {"containerStatuses": [value, {"state": value, "name": "c0"}]}):
        broken = {**pod, "status": status}

        assert observe_pod(broken, seen()).raw is broken
        assert all(len(identifier) == 64 for identifier in container_ids(broken))
    assert list(of_node([{"metadata": value, "spec": {"nodeName": NODE}, "status": value}], NODE))
