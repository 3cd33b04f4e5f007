"""Why a kubelet does not start, in its own words."""

from dataclasses import replace
from typing import Any

import pytest
from kubelets import GIB
from kubelets import MIB
from kubelets import cells
from kubelets import gpus
from kubelets import machine

from webhook.domain.kubelet.startup import startup_error
from webhook.domain.quantity import Quantity
from webhook.domain.topology import POD_LEVEL_GATE
from webhook.domain.topology import Cell
from webhook.domain.topology import Core
from webhook.domain.topology import NodeClass

SPLIT = (Cell(0, 32 * GIB, (Core((0,), 0), Core((1,), 1))),)
ALPHA = {"CPUManagerPolicyAlphaOptions": True}


def reserving(held: dict[int, dict[str, int]], /, cpus: str = "0,8", **amounts: str) -> NodeClass:
    """Make machine M with this reservation, "_" for "-" in names of resources."""
    reservation = {name.replace("_", "-"): Quantity.parse(text) for name, text in amounts.items()}
    return machine(reserved_memory=held, reserved_cpus=cpus, node_allocatable_reservation=reservation)


@pytest.mark.parametrize(
    "node_class",
    [
        machine(),
        machine("none", topology_manager_policy_options={"no-such": "option"}),
        machine("none", cells=cells(9), devices=gpus((1,) * 9)),
        machine(cells=cells(9), topology_manager_policy_options={"max-allowable-numa-nodes": "9"}),
        machine(memory_manager_policy="None", node_allocatable_reservation={}, reserved_memory={}),
        machine(cpu_manager_policy="none", reserved_cpus=""),
        machine("restricted", cpu_manager_policy_options={"align-by-socket": "true"}, feature_gates=ALPHA),
        reserving({0: {"memory": 2 * GIB}}, cpus="", cpu="1", memory="2048Mi"),
        reserving({0: {"memory": 2 * GIB}}, cpu="99", memory="2Gi"),
    ],
)
def test_a_sound_kubelet_starts(node_class: NodeClass) -> None:
    assert startup_error(node_class) is None


WRONG: dict[str, tuple[NodeClass, str]] = {
    "policy": (
        machine("strict"),
        (
            'invalid configuration: topologyManagerPolicy (--topology-manager-policy) "strict" must be one of: '
            '["none" "best-effort" "restricted" "single-numa-node"]'
        ),
    ),
    "scope": (
        machine(scope="node"),
        (
            'invalid configuration: topologyManagerScope (--topology-manager-scope) "node" must be one of: '
            '"container", or "pod"'
        ),
    ),
    "kind of reserved memory": (
        reserving({0: {"cpu": 1}}),
        (
            'invalid configuration: the limit type "cpu" for NUMA node 0 is not supported, '
            "only [memory hugepages-<HugePageSize>] is accepted"
        ),
    ),
    "zero reserved memory": (
        reserving({1: {"memory": 0}}),
        'invalid configuration: reserved memory may not be zero for NUMA node 1 and resource "memory"',
    ),
    "no CPUs": (machine(cells=(Cell(0, GIB),)), "could not detect number of cpus"),
    "unknown reserved CPUs": (
        machine(reserved_cpus="0,99"),
        "reserved-cpus: 0,99 is not a subset of online-cpus: 0-15",
    ),
    "nine NUMA nodes": (machine(cells=cells(9)), "unsupported on machines with more than 8 NUMA Nodes"),
    "few NUMA nodes allowed": (
        machine(topology_manager_policy_options={"max-allowable-numa-nodes": "4"}),
        'the minimum value of "max-allowable-numa-nodes" should not be less than 8',
    ),
    "no distances": (
        machine(
            "restricted",
            cells=tuple(replace(cell, distances=()) for cell in cells()),
            topology_manager_policy_options={"prefer-closest-numa-nodes": "true"},
        ),
        "cannot discover NUMA topology: error getting NUMA distances from cadvisor",
    ),
    "CPU policy": (machine(cpu_manager_policy="dynamic"), 'unknown policy: "dynamic"'),
    "options of policy none": (
        machine(cpu_manager_policy="none", cpu_manager_policy_options={"full-pcpus-only": "true"}),
        "new none policy error: None policy: received unsupported options=map[full-pcpus-only:true]",
    ),
    "CPUs not reserved": (
        reserving({0: {"memory": GIB}}, cpus="", memory="1Gi"),
        "[cpumanager] unable to determine reserved CPU resources for static policy",
    ),
    "zero CPUs reserved": (
        reserving({0: {"memory": GIB}}, cpus="", cpu="0", memory="1Gi"),
        "[cpumanager] the static policy requires systemreserved.cpu + kubereserved.cpu to be greater than zero",
    ),
    "too many CPUs reserved": (
        reserving({0: {"memory": GIB}}, cpus="", cpu="17", memory="1Gi"),
        (
            "new static policy error: [cpumanager] unable to reserve the required amount of CPUs "
            "(size of  did not equal 17)"
        ),
    ),
    "unknown CPU option": (
        machine(cpu_manager_policy_options={"no-such": "true"}),
        'new static policy error: unknown CPU Manager Policy option: "no-such"',
    ),
    "align-by-socket with single-numa-node": (
        machine(cpu_manager_policy_options={"align-by-socket": "true"}, feature_gates=ALPHA),
        (
            "new static policy error: Topolgy manager single-numa-node policy is incompatible with CPUManager "
            "align-by-socket policy option"
        ),
    ),
    "align-by-socket on split nodes": (
        machine(
            "restricted",
            cells=SPLIT,
            reserved_cpus="0",
            cpu_manager_policy_options={"align-by-socket": "true"},
            feature_gates=ALPHA,
        ),
        (
            "new static policy error: Align by socket is not compatible with hardware where number of sockets are more "
            "than number of NUMA"
        ),
    ),
    "memory policy of Windows": (
        machine(memory_manager_policy="BestEffort"),
        'policy "BestEffort" is not available for platform "linux"',
    ),
    "memory policy": (machine(memory_manager_policy="static"), 'unknown policy: "static"'),
    "unknown NUMA node": (
        reserving({7: {"memory": GIB}}, memory="1Gi"),
        "the reserved memory configuration references a NUMA node 7 that does not exist on this machine",
    ),
    "b10: huge pages in reservedMemory": (
        reserving({0: {"memory": 993 * MIB, "hugepages-2Mi": 10 * MIB}}, memory="993Mi"),
        (
            'the total amount "10Mi" of type "hugepages-2Mi" is not equal to the value "0" '
            "determined by Node Allocatable feature"
        ),
    ),
    "reserved memory does not add up": (
        reserving({0: {"memory": GIB}, 1: {"memory": GIB}}, memory="1Gi"),
        (
            'the total amount "2Gi" of type "memory" is not equal to the value "1Gi" '
            "determined by Node Allocatable feature"
        ),
    ),
    "no reserved memory": (reserving({}), "[memorymanager] you should specify the system reserved memory"),
    "more reserved than the node has": (
        reserving({0: {"memory": 65 * GIB}}, memory="65Gi"),
        (
            'invalid Node Allocatable configuration. Resource "memory" has a reservation of 65Gi but capacity of 64Gi. '
            "Expected capacity >= reservation."
        ),
    ),
}


@pytest.mark.parametrize(("node_class", "message"), WRONG.values(), ids=WRONG)
def test_a_wrong_kubelet_tells_why_it_does_not_start(node_class: NodeClass, message: str) -> None:
    assert startup_error(node_class) == message


def test_huge_pages_count_for_the_capacity() -> None:
    settings: dict[str, Any] = {
        "reserved_memory": {0: {"memory": GIB, "hugepages-2Mi": 8 * MIB}},
        "node_allocatable_reservation": {"memory": Quantity.parse("1Gi"), "hugepages-2Mi": Quantity.parse("8Mi")},
    }

    assert startup_error(machine(cells=cells(hugepages={"2Mi": 2}), **settings)) is None
    assert "but capacity of 4Mi" in str(startup_error(machine(cells=cells(hugepages={"2Mi": 1}), **settings)))


@pytest.mark.parametrize(
    ("version", "gates", "error"),
    [
        ((1, 37), {POD_LEVEL_GATE: True}, None),
        (
            (1, 37),
            {POD_LEVEL_GATE: True, "PodLevelResources": False},
            f"{POD_LEVEL_GATE} is enabled, but depends on features that are disabled: [PodLevelResources]",
        ),
    ],
)
def test_pods_with_resources_of_their_own_need_their_gates(
    version: tuple[int, int], gates: dict[str, bool], error: str | None
) -> None:
    assert startup_error(machine(version=version, feature_gates=gates)) == error


def test_a_gate_that_the_version_does_not_know_stops_the_kubelet() -> None:
    gates = {"PodLevelResourceManagers": False}

    assert startup_error(machine(feature_gates=gates, version=(1, 36))) is None
    assert startup_error(machine(feature_gates=gates, version=(1, 35))) == (
        "unrecognized feature gate: PodLevelResourceManagers"
    )
