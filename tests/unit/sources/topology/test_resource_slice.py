"""What ResourceSlices say about NUMA nodes, as the drivers really write them."""

from typing import Any

import pytest
from inventories import view_of
from nodeobjects import GIB
from nodeobjects import Object
from nodeobjects import amd_device
from nodeobjects import cpu_group
from nodeobjects import device
from nodeobjects import memory_device
from nodeobjects import node
from nodeobjects import nvidia_device
from nodeobjects import resource_slice

from webhook.sources.evidence import Evidence
from webhook.sources.topology.resource_slice import SOURCE

EIGHT = [nvidia_device(index, index // 4) for index in range(8)]


def evidence(*objects: Any) -> Evidence:
    """Read the source about one node."""
    found = SOURCE.read(view_of(*objects))
    assert found is not None
    return found


def test_without_slices_the_source_says_nothing() -> None:
    assert SOURCE.read(view_of(node())) is None


def test_gpus_that_a_plug_in_counts_too_are_placed_by_their_driver() -> None:
    found = evidence(node(gpus=8), resource_slice("gpu.nvidia.com", EIGHT))

    assert found.fields == {"devices.nvidia.com/gpu": {"0": 4, "1": 4}}


def test_gpus_that_only_claims_hand_out_are_no_devices_of_the_class() -> None:
    found = evidence(node(), resource_slice("gpu.nvidia.com", EIGHT))

    assert found.fields == {}
    assert found.drivers == {"gpu.nvidia.com": {"0": 4, "1": 4}}


def test_a_driver_and_a_plug_in_that_count_differently_are_a_problem() -> None:
    found = evidence(node(gpus=4), resource_slice("gpu.nvidia.com", EIGHT))

    assert found.fields == {}
    assert found.problems == ("driver gpu.nvidia.com has 8 devices, the node's status 4 nvidia.com/gpu",)


def test_a_gpu_without_a_numa_node_has_none() -> None:
    devices = [*EIGHT[:7], nvidia_device(7, None, root="pci0000:c2")]
    found = evidence(node(gpus=8), resource_slice("gpu.nvidia.com", devices))

    assert found.fields == {"devices.nvidia.com/gpu": {"-1": 1, "0": 4, "1": 3}}


def test_parts_of_gpus_are_not_counted_beside_the_gpus() -> None:
    parts = [nvidia_device(index, 0, kind="mig") for index in range(8, 15)]
    found = evidence(node(gpus=8), resource_slice("gpu.nvidia.com", [*EIGHT, *parts]))

    assert found.fields == {"devices.nvidia.com/gpu": {"0": 4, "1": 4}}


def test_a_driver_without_numa_nodes_is_joined_by_the_pcie_roots_of_another() -> None:
    gpus = [amd_device(index, f"pci0000:{root}") for index, root in enumerate(("15", "37", "97", "b7"))]
    cpus = [cpu_group(0, 64, "pci0000:15", "pci0000:37"), cpu_group(1, 64, "pci0000:97", "pci0000:b7")]
    found = evidence(node(**{"amd.com/gpu": 4}), resource_slice("gpu.amd.com", gpus), resource_slice("dra.cpu", cpus))

    assert found.fields["devices.amd.com/gpu"] == {"0": 2, "1": 2}


def test_a_pcie_root_that_is_told_to_be_in_two_numa_nodes_places_nothing() -> None:
    gpus = [amd_device(0, "pci0000:15")]
    cpus = [cpu_group(0, 64, "pci0000:15"), cpu_group(1, 64, "pci0000:15")]
    found = evidence(node(**{"amd.com/gpu": 1}), resource_slice("gpu.amd.com", gpus), resource_slice("dra.cpu", cpus))

    assert found.fields["devices.amd.com/gpu"] == {"-1": 1}


@pytest.mark.parametrize(
    ("attributes", "home"),
    [
        ({"resource.kubernetes.io/numaNode": 1}, "1"),
        ({"resource.kubernetes.io/numaNode": [1, 0]}, "1"),
        ({"resource.kubernetes.io/numaNode": 1, "numa": 0}, "1"),
        ({"numa": 1}, "1"),
        ({"numaNode": 1}, "1"),
        ({"gpu.amd.com/numaNode": 1}, "1"),
        ({"dra.net/numaNode": 1}, "1"),
        ({"resource.kubernetes.io/numaNode": -1}, "-1"),
        ({"resource.kubernetes.io/numaNode": "1"}, "-1"),
        ({}, "-1"),
    ],
)
def test_the_numa_node_is_found_under_each_name_that_drivers_used(attributes: dict[str, Any], home: str) -> None:
    found = evidence(resource_slice("gpu.nvidia.com", [device("gpu-0", **attributes)]))

    assert found.drivers == {"gpu.nvidia.com": {home: 1}}


def test_slices_of_an_older_generation_are_left_out() -> None:
    old = resource_slice("gpu.nvidia.com", EIGHT, name="old", generation=1)
    new = resource_slice("gpu.nvidia.com", EIGHT[:4], name="new", generation=2)

    assert evidence(old, new).drivers == {"gpu.nvidia.com": {"0": 4}}


def test_a_slice_of_the_first_beta_has_one_level_more() -> None:
    inner = {"name": "gpu-0", "basic": {"attributes": {"resource.kubernetes.io/numaNode": {"int": 1}}}}
    written = {**resource_slice("gpu.nvidia.com", [inner]), "apiVersion": "resource.k8s.io/v1beta1"}

    assert evidence(written).drivers == {"gpu.nvidia.com": {"1": 1}}


def test_groups_of_cpus_and_memory_make_numa_nodes() -> None:
    cpus = resource_slice("dra.cpu", [cpu_group(0, 64), cpu_group(1, 62)])
    memory = resource_slice("dra.memory", [memory_device(0, 512 * GIB), memory_device(1, 500 * GIB)])
    pages = resource_slice("dra.memory", [memory_device(0, 1024, huge=True)], name="pages")
    found = evidence(cpus, memory, pages)

    assert found.fields == {
        "numa": [
            {"id": 0, "memory": "512Gi", "coreCount": 32, "threadsPerCore": 2},
            {"id": 1, "memory": "500Gi", "coreCount": 31, "threadsPerCore": 2},
        ],
        "kubelet.cpuManagerPolicy": "none",
    }
    assert sorted(found.assumed) == ["kubelet.cpuManagerPolicy", "numa.cpus"]


def test_single_cpus_are_put_together_to_cores() -> None:
    cpus = [_cpu(0, core=0, numa=0), _cpu(2, core=0, numa=0), _cpu(1, core=0, numa=1), _cpu(3, core=0, numa=1)]
    found = evidence(node(memory=64 * GIB), resource_slice("dra.cpu", cpus))

    assert found.fields["numa"] == [
        {"id": 0, "memory": "32Gi", "cores": [{"threads": [0, 2], "socket": 0}]},
        {"id": 1, "memory": "32Gi", "cores": [{"threads": [1, 3], "socket": 1}]},
    ]


def test_cpus_without_a_numa_node_make_none() -> None:
    grouped = device("cpudevsocket000", **{"dra.cpu/numCPUs": 64, "dra.cpu/socketID": 0})
    found = evidence(node(memory=64 * GIB), resource_slice("dra.cpu", [grouped]))

    assert "numa" not in found.fields


def test_cpus_without_any_word_on_memory_make_no_numa_nodes() -> None:
    assert "numa" not in evidence(resource_slice("dra.cpu", [cpu_group(0, 64)])).fields


def _cpu(number: int, *, core: int, numa: int) -> Object:
    names = {"dra.cpu/cpuID": number, "dra.cpu/coreID": core, "dra.cpu/socketID": numa}
    return device(f"cpudev{number:03}", **names, **{"resource.kubernetes.io/numaNode": numa})
