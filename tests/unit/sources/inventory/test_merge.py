"""Precedence of sources, conflicts, guesses and doubts."""

from typing import Any

from inventories import view_of
from nodeobjects import GIB
from nodeobjects import H100
from nodeobjects import agent_report
from nodeobjects import nfd_report
from nodeobjects import node
from nodeobjects import nri_report
from nodeobjects import nvidia_device
from nodeobjects import profile
from nodeobjects import resource_slice
from nodeobjects import rte_report
from nodeobjects import zone
from observations import cell
from observations import gpus
from observations import machine

from webhook.sources.inventory.build import read
from webhook.sources.inventory.build import sources
from webhook.sources.inventory.merge import Merged
from webhook.sources.inventory.refusal import why_no_class
from webhook.sources.inventory.survey import Conflict

P5 = {"node.kubernetes.io/instance-type": "p5.48xlarge"}


def merged(*objects: Any) -> Merged:
    """Ask every source about one node."""
    return read(view_of(*objects))


def test_sources_come_in_the_order_of_their_precedence() -> None:
    names = [source.name for source in sources()]

    assert names == [
        "node-profile",
        "node-alignment",
        "node-resource-topology",
        "resource-slice",
        "node-labels",
        "node-status",
    ]


def test_each_field_is_from_the_first_source_that_has_it() -> None:
    found = merged(
        node(labels=P5, cpu=192, gpus=8, efas=32),
        rte_report(),
        profile("part", P5, kubelet={"topologyManagerScope": "container"}),
    )

    assert found.sources["numa"] == "NodeResourceTopology"
    assert found.sources["devices.nvidia.com/gpu"] == "NodeResourceTopology"
    assert found.sources["devices.vpc.amazonaws.com/efa"] == "Node"
    assert found.sources["kubelet.topologyManagerPolicy"] == "NodeResourceTopology"
    assert found.sources["kubelet.topologyManagerScope"] == "NodeProfile"
    assert found.sources["kubelet.version"] == "Node"
    assert found.sources["kubelet.cpuManagerPolicy"] == "assumed"


def test_a_conflict_keeps_both_values() -> None:
    found = merged(
        node(labels=P5, cpu=192, gpus=8),
        rte_report(zones=[zone(0, nvidia=6), zone(1, nvidia=2)]),
        profile("part", P5, kubelet={"topologyManagerPolicy": "restricted"}),
    )

    assert set(found.conflicts) == {
        Conflict("devices.nvidia.com/gpu", "NodeResourceTopology", "6+2", "node labels", "4+4"),
        Conflict(
            "kubelet.topologyManagerPolicy", "NodeProfile", "restricted", "NodeResourceTopology", "single-numa-node"
        ),
    }


def test_a_little_memory_and_the_spelling_of_cpus_are_no_conflict() -> None:
    assert merged(node(labels=P5, cpu=192, gpus=8), rte_report()).conflicts == []


def test_the_kubelet_of_a_library_machine_goes_with_the_machine_only() -> None:
    found = merged(node(labels=P5, cpu=192, gpus=8), rte_report())

    assert "kubelet.cpuManagerPolicyOptions" not in found.values
    assert found.values["kubelet.reservedSystemCPUs"] == "0,48,96,144"


def test_a_machine_of_a_profile_does_not_get_the_cpu_ids_of_a_report() -> None:
    numa = [{"id": 0, "cpus": "0-95", "threadsPerCore": 1, "memory": "1Ti"}]
    found = merged(node(), rte_report(), profile("whole", P5, numa=numa))

    assert found.sources["numa"] == "NodeProfile"
    assert "kubelet.reservedSystemCPUs" not in found.values
    assert found.values["kubelet.nodeAllocatableReservation"] == {"cpu": "4", "memory": "32Gi"}


def test_devices_on_a_numa_node_that_another_source_does_not_have_are_placed_nowhere() -> None:
    found = merged(node(gpus=8), rte_report(zones=[zone(0, of=1)]), _slice(5))

    assert found.values["devices.nvidia.com/gpu"] == {"-1": 8}
    assert found.problems == [
        "ResourceSlice: devices.nvidia.com/gpu names NUMA node 5, which NodeResourceTopology lacks"
    ]


def test_settings_that_nobody_tells_are_the_kubelets_defaults() -> None:
    report = nfd_report("node-a", [zone(0, of=1)], "Restricted")
    found = merged(node(), report)

    assert found.values["kubelet.topologyManagerScope"] == "container"
    assert found.sources["kubelet.topologyManagerScope"] == "assumed"


def test_a_cpu_manager_that_is_off_has_no_options() -> None:
    found = merged(node(labels=P5, cpu=192, gpus=8), nri_report())

    assert found.sources["numa"] == "node labels"
    assert found.values["kubelet.cpuManagerPolicy"] == "none"
    assert "kubelet.cpuManagerPolicyOptions" not in found.values
    assert why_no_class(found.spec) == ""


def test_a_full_profile_is_taken_as_it_is_written() -> None:
    found = merged(node(), profile("whole", P5, numa=[{"id": 0, "coreCount": 4, "threadsPerCore": 1, "memory": "8Gi"}]))

    assert found.sources == {"numa": "NodeProfile", "kubelet.version": "Node"}
    assert (found.doubts, found.reported, found.declared) == ([], False, True)


def test_what_nodes_report_is_not_doubted_but_counted() -> None:
    found = merged(node(), rte_report())

    assert (found.doubts, found.reported) == ([], True)


def test_a_product_is_doubted_however_many_nodes_have_it() -> None:
    labels = {"nvidia.com/gpu.product": H100, "nvidia.com/gpu.count": "8"}
    found = merged(node(labels=labels, cpu=224, gpus=8))

    assert found.doubts == [
        "numa is known by the product's name alone",
        "devices.nvidia.com/gpu is known by the product's name alone",
        "kubelet.topologyManagerPolicy is assumed",
    ]


def test_gpus_of_which_nobody_knows_where_they_are_are_doubted() -> None:
    found = merged(node(gpus=8, efas=32), rte_report(zones=[zone(0), zone(1)]))

    assert found.values["devices.nvidia.com/gpu"] == {"-1": 8}
    assert found.doubts == ["the NUMA node of nvidia.com/gpu is not known"]


def test_where_gpus_are_on_a_machine_with_one_numa_node_is_no_question() -> None:
    single = machine(cell(0, cores=48, memory=1024 * GIB))
    found = merged(node(gpus=8, cpu=96), agent_report(machine=single, devices=gpus(*[None] * 8)))

    assert found.values["devices.nvidia.com/gpu"] == {"-1": 8}
    assert (found.doubts, found.reported) == ([], True)


def test_a_gpu_that_one_plug_in_placed_nowhere_beside_others_is_not_doubted() -> None:
    assert merged(node(gpus=8), rte_report(zones=[zone(0, nvidia=3), zone(1, nvidia=4)])).doubts == []


def test_a_fixed_machine_whose_kubelet_a_profile_tells_is_not_doubted() -> None:
    kubelet = {"topologyManagerPolicy": "restricted"}
    found = merged(node(labels=P5, cpu=192, gpus=8), profile("part", P5, kubelet=kubelet))

    assert (found.doubts, found.reported) == ([], False)


def _slice(numa: int) -> Any:
    return resource_slice("gpu.nvidia.com", [nvidia_device(index, numa) for index in range(8)])
