"""What a NodeResourceTopology says, as each of its writers really writes it."""

from typing import Any

import pytest
from inventories import view_of
from nodeobjects import GIB
from nodeobjects import RESERVED
from nodeobjects import nfd_report
from nodeobjects import node
from nodeobjects import nri_report
from nodeobjects import rte_report
from nodeobjects import zone
from nodeobjects import zone_row

from webhook.sources.evidence import Evidence
from webhook.sources.topology.node_resource_topology import SOURCE


def evidence(*objects: Any) -> Evidence:
    """Read the source about one node."""
    found = SOURCE.read(view_of(*objects))
    assert found is not None
    return found


def test_without_a_report_the_source_says_nothing() -> None:
    assert SOURCE.read(view_of(node())) is None


def test_a_report_of_the_exporter_is_read_whole() -> None:
    found = evidence(rte_report())

    assert found.fields == {
        "kubelet.topologyManagerPolicy": "single-numa-node",
        "kubelet.topologyManagerScope": "pod",
        "devices.nvidia.com/gpu": {"0": 4, "1": 4},
        "numa": [
            {"id": 0, "memory": "1Ti", "coreCount": 96, "threadsPerCore": 1, "distances": [10, 21]},
            {"id": 1, "memory": "1Ti", "coreCount": 96, "threadsPerCore": 1, "distances": [21, 10]},
        ],
        "kubelet.reservedSystemCPUs": "0-1,96-97",
        "kubelet.cpuManagerPolicy": "static",
        "kubelet.memoryManagerPolicy": "Static",
        "kubelet.reservedMemory": [
            {"numaNode": 0, "limits": {"memory": "16Gi"}},
            {"numaNode": 1, "limits": {"memory": "16Gi"}},
        ],
        "kubelet.nodeAllocatableReservation": {"cpu": "4", "memory": "32Gi"},
    }
    assert sorted(found.assumed) == ["kubelet.cpuManagerPolicy", "kubelet.memoryManagerPolicy", "numa.threadsPerCore"]
    assert found.problems == ()


def test_a_report_of_ten_thousand_resources_is_read() -> None:
    rows = [zone_row(f"r{number}.example/x", 8, 8, 8) for number in range(10_000)]
    first, second = rte_report()["zones"]
    found = evidence(rte_report(zones=[{**first, "resources": [*first["resources"], *rows]}, second]))

    assert sum(name.startswith("devices.") for name in found.fields) == 10_001


def test_threads_are_told_by_the_label_of_feature_discovery() -> None:
    threaded = node(labels={"feature.node.kubernetes.io/cpu-hardware_multithreading": "true"})
    found = evidence(threaded, rte_report())

    assert [(cell["coreCount"], cell["threadsPerCore"]) for cell in found.fields["numa"]] == [(48, 2), (48, 2)]  # type: ignore[attr-defined] # a list of cells
    assert found.fields["kubelet.reservedSystemCPUs"] == "0,48,96,144"
    assert "numa.threadsPerCore" not in found.assumed


def test_feature_discovery_without_the_label_means_one_thread() -> None:
    found = evidence(node(labels={"feature.node.kubernetes.io/cpu-model.vendor_id": "ARM"}), rte_report())

    assert "numa.threadsPerCore" not in found.assumed


@pytest.mark.parametrize(
    ("policy", "settings"),
    [
        ("SingleNUMANodeContainerLevel", ("single-numa-node", "container")),
        ("SingleNUMANodePodLevel", ("single-numa-node", "pod")),
        ("Restricted", ("restricted", None)),
        ("RestrictedPodLevel", ("restricted", "pod")),
        ("BestEffortContainerLevel", ("best-effort", "container")),
        ("None", ("none", None)),
        ("NoSuchPolicy", (None, None)),
    ],
)
def test_deprecated_policies_are_understood(policy: str, settings: tuple[str | None, str | None]) -> None:
    found = evidence(nfd_report("node-a", [zone()], policy, version="v1alpha1"))
    names = ("kubelet.topologyManagerPolicy", "kubelet.topologyManagerScope")

    assert tuple(found.fields.get(name) for name in names) == settings


def test_attributes_win_over_the_deprecated_list() -> None:
    written = {**rte_report(policy="restricted"), "topologyPolicies": ["SingleNUMANodeContainerLevel"]}
    found = evidence(written)

    assert found.fields["kubelet.topologyManagerPolicy"] == "restricted"
    assert found.fields["kubelet.topologyManagerScope"] == "pod"


def test_an_attribute_that_no_kubelet_has_is_a_problem_and_not_a_setting() -> None:
    found = evidence(rte_report(policy="strict"))

    assert "kubelet.topologyManagerPolicy" not in found.fields
    assert found.problems == ('attribute topologyManagerPolicy is "strict", which no kubelet has',)


def test_pools_of_nri_plugins_are_no_numa_nodes_and_their_kubelet_aligns_nothing() -> None:
    found = evidence(nri_report())

    assert found.problems == ("no zone of type Node (only numa node, socket, virtual node)",)
    assert found.fields == {
        "kubelet.cpuManagerPolicy": "none",
        "kubelet.memoryManagerPolicy": "None",
        "kubelet.topologyManagerPolicy": "none",
    }
    assert set(found.assumed) == set(found.fields)


def test_zones_of_other_types_are_left_out() -> None:
    die = {**zone(7), "type": "Die"}
    found = evidence(rte_report(zones=[zone(1, nvidia=4), die, zone(0, nvidia=4)]))

    assert [cell["id"] for cell in found.fields["numa"]] == [0, 1]  # type: ignore[attr-defined] # a list of cells


@pytest.mark.parametrize("name", ["node0", "numa-0", "node--1", "node-00", "node-1024", ""])
def test_a_zone_whose_name_is_no_numa_node_is_a_problem(name: str) -> None:
    found = evidence(rte_report(zones=[{**zone(), "name": name}]))

    assert "numa" not in found.fields
    assert found.problems[0] == f'zone "{name}" of type Node names no NUMA node: node-0 is wanted'


def test_a_report_of_devices_only_says_which_rows_are_missing() -> None:
    zones = [zone(number, cpus=None, memory=None, nvidia=4) for number in (0, 1)]
    found = evidence(nfd_report("node01", zones, "SingleNUMANodePodLevel", version="v1alpha1"))

    assert found.fields == {
        "kubelet.topologyManagerPolicy": "single-numa-node",
        "kubelet.topologyManagerScope": "pod",
        "kubelet.memoryManagerPolicy": "None",
        "devices.nvidia.com/gpu": {"0": 4, "1": 4},
    }
    assert found.problems == ("no cpu and no memory row in node-0, node-1",)


def test_a_gpu_in_no_zone_is_unknown_and_not_zero() -> None:
    found = evidence(node(gpus=8), rte_report(zones=[zone(0), zone(1)]))

    assert not [name for name in found.fields if name.startswith("devices.")]


def test_gpus_that_the_plug_in_placed_nowhere_stay_without_a_numa_node() -> None:
    found = evidence(node(gpus=8), rte_report(zones=[zone(0, nvidia=3), zone(1, nvidia=4)]))

    assert found.fields["devices.nvidia.com/gpu"] == {"0": 3, "1": 4, "-1": 1}


def test_gpus_that_are_near_every_numa_node_have_no_home() -> None:
    found = evidence(node(gpus=8), rte_report(zones=[zone(0, nvidia=8), zone(1, nvidia=8)]))

    assert found.fields["devices.nvidia.com/gpu"] == {"-1": 8}
    assert found.problems == ("each of 8 nvidia.com/gpu is near every NUMA node: it has no home",)


def test_a_number_that_is_no_number_of_devices_is_left_out() -> None:
    written = zone(0, of=1, nvidia=4)
    written["resources"] += [zone_row("nvidia.com/gpumem", 655_360, 655_360, 0), zone_row("no such/name", 1, 1, 1)]
    found = evidence(rte_report(zones=[written]))

    assert [name for name in found.fields if name.startswith("devices.")] == ["devices.nvidia.com/gpu"]
    assert found.problems == ("655360 nvidia.com/gpumem are no devices, but MiB or percent: left out",)


def test_more_cpus_than_any_machine_has_make_no_numa_nodes() -> None:
    found = evidence(rte_report(zones=[zone(0, cpus=(16_000, 9, 9)), zone(1, cpus=(16_000, 9, 9))]))

    assert "numa" not in found.fields
    assert found.problems == ("32000 CPUs are more than any machine has",)


def test_without_memory_rows_the_memory_manager_is_off_and_the_node_says_how_much_there_is() -> None:
    found = evidence(node(memory=512 * GIB), rte_report(zones=[zone(0, memory=None), zone(1, memory=None)]))

    assert [cell["memory"] for cell in found.fields["numa"]] == ["256Gi", "256Gi"]  # type: ignore[attr-defined] # a list of cells
    assert found.fields["kubelet.memoryManagerPolicy"] == "None"
    assert "numa.memory" in found.assumed


def test_a_numa_node_without_cpus_is_kept_for_its_memory() -> None:
    gpu_memory = zone(1, cpus=None, memory=(96 * GIB, 96 * GIB, 96 * GIB))
    found = evidence(rte_report(zones=[zone(0, nvidia=1), gpu_memory]))

    assert found.fields["numa"][1] == {"id": 1, "memory": "96Gi", "distances": [21, 10]}  # type: ignore[index] # a list of cells


def test_huge_pages_are_part_of_the_memory() -> None:
    pages = 64 * GIB
    left = 1024 * GIB - RESERVED - pages
    written = zone(0, of=1, memory=(1024 * GIB, left, left))
    written["resources"].append(zone_row("hugepages-1Gi", pages, pages, pages))
    written["resources"].append(zone_row("hugepages-2Mi", 0, 0, 0))
    found = evidence(rte_report(zones=[written]))

    assert found.fields["numa"][0]["hugepages"] == {"1Gi": 64}  # type: ignore[index] # a list of cells
    assert found.fields["kubelet.reservedMemory"] == [{"numaNode": 0, "limits": {"memory": "16Gi"}}]


def test_no_zone_that_keeps_cpus_back_is_not_what_a_static_kubelet_reports() -> None:
    found = evidence(rte_report(zones=[zone(0, cpus=(96, 96, 96)), zone(1, cpus=(96, 96, 96))]))

    assert found.fields["kubelet.reservedSystemCPUs"] == "0"
    assert "kubelet.reservedSystemCPUs" in found.assumed


def test_no_allocatable_cpus_means_that_the_cpu_manager_is_off() -> None:
    found = evidence(rte_report(zones=[zone(0, cpus=(96, 0, 0)), zone(1, cpus=(96, 0, 0))]))

    assert found.fields["kubelet.cpuManagerPolicy"] == "none"
    assert "kubelet.reservedSystemCPUs" not in found.fields


def test_many_numa_nodes_need_the_option_that_lets_such_a_kubelet_start() -> None:
    found = evidence(rte_report(zones=[zone(number, of=9) for number in range(9)]))

    assert found.fields["kubelet.topologyManagerPolicyOptions"] == {"max-allowable-numa-nodes": "9"}


def test_more_zones_than_any_machine_has_are_not_read() -> None:
    found = evidence(rte_report(zones=[zone(number, of=1) for number in range(65)]))

    assert "numa" not in found.fields
    assert found.problems == ("65 zones are more NUMA nodes than any machine has",)


def test_incomplete_costs_are_no_distances() -> None:
    found = evidence(rte_report(zones=[zone(0, of=1), zone(1, of=2)]))

    assert all("distances" not in cell for cell in found.fields["numa"])  # type: ignore[attr-defined] # a list of cells


def test_capacity_alone_is_enough_and_so_is_a_number_that_is_no_text() -> None:
    """The example of the API's repository, and b25, write plain numbers."""
    written = zone(0, of=1)
    written["resources"] = [{"name": "cpu", "capacity": 20}, {"name": "memory", "allocatable": "64Gi"}]
    found = evidence(rte_report(zones=[written]))

    assert found.fields["numa"][0]["coreCount"] == 20  # type: ignore[index] # a list of cells
