"""What the labels of a node say about its topology, and what they do not."""

import pytest
from inventories import view_of
from nodeobjects import GIB
from nodeobjects import H100
from nodeobjects import node

from webhook.sources.evidence import Evidence
from webhook.sources.topology.node_labels import SOURCE

INSTANCE = "node.kubernetes.io/instance-type"
PRODUCT = "nvidia.com/gpu.product"
COUNT = "nvidia.com/gpu.count"
INTEL = "gpu.intel.com/numa-gpu-map"


def evidence(labels: dict[str, str], **capacity: int) -> Evidence | None:
    """Read the source about a node with these labels."""
    return SOURCE.read(view_of(node(labels=labels, **capacity)))


def devices(found: Evidence | None) -> dict[str, object]:
    """Answer the devices of evidence by resource."""
    fields = found.fields if found else {}
    return {name.removeprefix("devices."): value for name, value in fields.items() if name.startswith("devices.")}


def test_labels_that_name_no_machine_say_nothing() -> None:
    assert evidence({INSTANCE: "m6i.large"}) is None


def test_an_instance_type_names_one_fixed_machine() -> None:
    found = evidence({INSTANCE: "p5.48xlarge"}, cpu=192, memory=1896 * GIB, gpus=8)

    assert found is not None
    assert (found.title, found.weak) == ("aws-p5-48xlarge", frozenset())
    assert devices(found) == {"nvidia.com/gpu": {"0": 4, "1": 4}}


def test_memory_is_that_of_the_node_not_of_the_catalogue() -> None:
    found = evidence({INSTANCE: "p5.48xlarge"}, cpu=192, memory=1896 * GIB, gpus=8)

    assert found is not None
    assert [cell["memory"] for cell in found.fields["numa"]] == [948 * GIB, 948 * GIB]  # type: ignore[attr-defined] # cells


def test_the_kubelet_of_a_library_machine_is_a_guess_that_goes_with_the_machine() -> None:
    found = evidence({INSTANCE: "p5.48xlarge"}, cpu=192, gpus=8)

    assert found is not None
    assert found.fields["kubelet.topologyManagerPolicy"] == "single-numa-node"
    assert found.bound == set(found.assumed) == {name for name in found.fields if name.startswith("kubelet.")}


def test_a_machine_with_another_number_of_cpus_is_not_that_machine() -> None:
    found = evidence({INSTANCE: "p5.48xlarge"}, cpu=96, gpus=8)

    assert found is not None
    assert found.fields == {}
    assert found.problems == ("the node has 96 CPUs, aws-p5-48xlarge of the library 192",)


def test_an_instance_type_with_far_less_memory_is_not_that_machine() -> None:
    found = evidence({INSTANCE: "p5.48xlarge"}, cpu=192, memory=2 * GIB, gpus=8)

    assert found is not None
    assert found.fields == {}
    assert found.problems == ("the node has 2Gi of memory, aws-p5-48xlarge of the library 1894Gi",)


@pytest.mark.parametrize(
    "labels",
    [
        {PRODUCT: H100, COUNT: "8"},
        {PRODUCT: "H100-80GB-HBM3", COUNT: "8"},
        {PRODUCT: f"{H100}-SHARED", COUNT: "8"},
        {"cloud.google.com/gke-accelerator": "nvidia-h100-80gb", "cloud.google.com/gke-accelerator-count": "8"},
        {"karpenter.k8s.aws/instance-gpu-name": "h100", "karpenter.k8s.aws/instance-gpu-count": "8"},
        {INSTANCE: "h100-bare-metal", PRODUCT: H100, COUNT: "8"},
    ],
)
def test_a_product_is_known_by_many_labels_and_is_weak(labels: dict[str, str]) -> None:
    found = evidence(labels, cpu=224, gpus=8)

    assert found is not None
    assert found.title == "dgx-h100"
    assert {"numa", "devices.nvidia.com/gpu"} <= found.weak


def test_a_product_with_other_cpus_around_it_is_no_machine_of_the_library() -> None:
    found = evidence({PRODUCT: H100, COUNT: "8"}, cpu=208, gpus=8)

    assert found is not None
    assert found.problems == ("the node has 208 CPUs, dgx-h100 of the library 224",)


def test_a_product_of_two_machines_is_left_to_a_profile() -> None:
    found = evidence({PRODUCT: "NVIDIA-GB200", COUNT: "4", "kubernetes.io/arch": "arm64"}, cpu=144, gpus=4)

    assert found is not None
    assert found.fields == {}
    assert "gb200-tray-cdmm and gb200-tray-numa" in found.problems[0]


def test_the_architecture_alone_names_no_machine() -> None:
    assert evidence({"kubernetes.io/arch": "arm64"}, cpu=72) is None


@pytest.mark.parametrize(
    ("capacity", "expected"),
    [
        ({"nvidia.com/gpu": 56}, {"nvidia.com/gpu": {"0": 28, "1": 28}}),
        ({"nvidia.com/gpu.shared": 32}, {"nvidia.com/gpu.shared": {"0": 16, "1": 16}}),
        ({"nvidia.com/gpu": 7}, {}),
        ({"nvidia.com/mig-1g.10gb": 56}, {}),
        ({}, {}),
    ],
)
def test_parts_and_shares_of_gpus_lie_where_the_gpus_lie(capacity: dict[str, int], expected: object) -> None:
    found = evidence({PRODUCT: f"{H100}-MIG-1g.10gb", COUNT: "56"}, cpu=224, **capacity)

    assert devices(found) == expected


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        ({INTEL: "0-0.1.2_1-3.4.5"}, {"gpu.intel.com/i915": {"0": 3, "1": 3}}),
        ({INTEL: "0-0.1", f"{INTEL}2": "Z.2_1-3.4.5"}, {"gpu.intel.com/i915": {"0": 3, "1": 3}}),
        ({INTEL: "0-0_1-1_3-2"}, {"gpu.intel.com/i915": {"0": 1, "1": 1, "3": 1}}),
        ({INTEL: "0:0.1"}, {}),
    ],
)
def test_the_label_of_intel_says_where_gpus_are(labels: dict[str, str], expected: object) -> None:
    assert devices(evidence(labels)) == expected


def test_the_label_of_intel_is_no_guess() -> None:
    found = evidence({INTEL: "0-0.1.2_1-3.4.5"}, **{"gpu.intel.com/xe": 6})

    assert found is not None
    assert (devices(found), found.weak) == ({"gpu.intel.com/xe": {"0": 3, "1": 3}}, frozenset())


@pytest.mark.parametrize(
    ("capacity", "problem"),
    [
        ({"gpu.intel.com/xe": 5}, "label gpu.intel.com/numa-gpu-map has 6 GPUs, the node's status 5 gpu.intel.com/xe"),
        ({"gpu.intel.com/xe": 3, "gpu.intel.com/i915": 3}, "label gpu.intel.com/numa-gpu-map does not say which GPUs"),
    ],
)
def test_the_label_of_intel_must_agree_with_the_node(capacity: dict[str, int], problem: str) -> None:
    found = evidence({INTEL: "0-0.1.2_1-3.4.5"}, **capacity)

    assert found is not None
    assert found.problems[0].startswith(problem)
