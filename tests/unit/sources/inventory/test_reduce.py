"""What is kept of raw objects: little, and never an exception."""

import json

import pytest
from hypothesis import given
from nodeobjects import SEEN
from nodeobjects import node
from nodeobjects import profile
from nodeobjects import resource_slice
from nodeobjects import rte_report
from nodeobjects import zone
from strategies import json_values

from webhook.sources.evidence import AlignmentFacts
from webhook.sources.evidence import NodeFacts
from webhook.sources.evidence import NodeView
from webhook.sources.evidence import SliceFacts
from webhook.sources.inventory.build import read
from webhook.sources.inventory.reduce import reduce_alignment
from webhook.sources.inventory.reduce import reduce_any
from webhook.sources.inventory.reduce import reduce_node
from webhook.sources.inventory.reduce import reduce_nrt
from webhook.sources.inventory.reduce import reduce_slice
from webhook.sources.inventory.refusal import why_no_class


def test_labels_that_name_the_node_or_pass_are_left_out() -> None:
    labels = {"pool": "a", "example.com/me": "node-a", "nvidia.com/gfd.timestamp": "17", "x/y-state": "kept"}
    facts = reduce_node(node(labels={**labels, "nvidia.com/gpu-driver-upgrade-state": "upgrade-done"}))

    assert dict(facts.labels) == {"pool": "a", "kubernetes.io/arch": "amd64", "x/y-state": "kept"}


@pytest.mark.parametrize(
    ("key", "kept"),
    [
        ("nvidia.com/gpu", True),
        ("dedicated", True),
        ("node.kubernetes.io/unschedulable", False),
        ("node.kubernetes.io/disk-pressure", False),
        ("ToBeDeletedByClusterAutoscaler", False),
        ("DeletionCandidateOfClusterAutoscaler", False),
        ("karpenter.sh/disrupted", False),
        ("node.cilium.io/agent-not-ready", False),
        ("node.cloudprovider.kubernetes.io/uninitialized", False),
    ],
)
def test_taints_that_a_condition_sets_are_left_out(key: str, *, kept: bool) -> None:
    facts = reduce_node(node(taints=[{"key": key, "effect": "NoSchedule"}]))

    assert bool(facts.taints) is kept
    assert facts.schedulable is kept


def test_a_cordoned_node_takes_no_pods_now() -> None:
    assert not reduce_node({**node(), "spec": {"unschedulable": True}}).schedulable


@pytest.mark.parametrize(
    ("text", "version"),
    [("v1.36.3-eks-0123abc", "1.36"), ("v1.37.0", "1.37"), ("v1.35.1+k3s1", "1.35"), ("v2.0.0", ""), ("", "")],
)
def test_the_version_of_the_kubelet_is_kept_without_its_patch(text: str, version: str) -> None:
    assert reduce_node({"status": {"nodeInfo": {"kubeletVersion": text}}}).version == version


def test_the_instant_of_a_report_is_that_of_its_last_writer() -> None:
    assert reduce_nrt(rte_report()).seen == SEEN
    assert reduce_nrt(rte_report(), seen="2026-11-30T03:00:00Z").seen == "2026-11-30T03:00:00Z"
    assert reduce_nrt({}).seen == ""


def test_what_is_free_is_kept_in_whole_gibibytes() -> None:
    facts = reduce_nrt(rte_report(zones=[zone(0, nvidia=3, memory=(1 << 40, 1 << 40, (5 << 30) + 7))]))

    assert (facts.resources, facts.free) == (("nvidia.com/gpu",), ((90, 5 << 30, 3),))


def test_free_memory_is_left_out_where_there_are_no_memory_rows() -> None:
    assert reduce_nrt(rte_report(zones=[zone(0, memory=None)])).free == ((90, -1),)


def test_nothing_is_free_that_is_not_said_to_be() -> None:
    report = rte_report()
    del report["zones"][0]["resources"][0]["available"]

    assert reduce_nrt(report).free == ()


@pytest.mark.parametrize("value", ["-4", -4, "four", "NaN", True, [4]])
def test_devices_in_no_amount_are_left_out(value: object) -> None:
    report = rte_report(zones=[zone(0, nvidia=4), zone(1, nvidia=4)])
    report["zones"][1]["resources"][-1]["allocatable"] = value

    facts = reduce_nrt(report)

    assert [dict(one.devices) for one in facts.zones] == [{"nvidia.com/gpu": 4}, {}]
    assert facts.problems == ("zone node-1: what is said of nvidia.com/gpu is no amount: left out",)


@pytest.mark.parametrize(("row", "name"), [(0, "cpu"), (1, "memory")])
def test_where_cpus_or_memory_are_in_no_amount_no_numa_node_is_known(row: int, name: str) -> None:
    report = rte_report(zones=[zone(0, nvidia=4), zone(1, nvidia=4)])
    report["zones"][0]["resources"][row]["capacity"] = "-96"

    facts = reduce_nrt(report)

    assert (facts.zones, facts.resources, facts.free) == ((), (), ())
    assert facts.problems == (f"zone node-0: what is said of {name} is no amount: left out",)


def test_a_truth_is_no_number_of_a_numa_node() -> None:
    one = {"name": "gpu-0", "attributes": {"resource.kubernetes.io/numaNode": {"int": True}}}

    assert reduce_slice(resource_slice("gpu.nvidia.com", [one])) == reduce_slice(
        resource_slice("gpu.nvidia.com", [{"name": "gpu-0", "attributes": {}}])
    )


def test_a_slice_of_no_single_node_is_left_out() -> None:
    shared = resource_slice("gpu.nvidia.com", [])
    shared["spec"] = {**shared["spec"], "nodeName": None, "allNodes": True}

    assert reduce_slice(shared) is None


@pytest.mark.parametrize(
    ("version", "kind", "known"),
    [
        ("v1", "Node", True),
        ("v1", "Pod", False),
        ("topology.node.k8s.io/v1alpha1", "NodeResourceTopology", True),
        ("topology.node.k8s.io/v1alpha2", "NodeResourceTopology", True),
        ("resource.k8s.io/v1beta2", "ResourceSlice", True),
        ("numagate.io/v1alpha1", "NodeProfile", True),
        ("numagate.io/v1alpha1", "NodeAlignment", True),
        ("numagate.io/v1alpha1", "AlignmentPolicy", False),
        ("example.com/v1", "Node", False),
    ],
)
def test_objects_are_known_by_group_and_kind(version: str, kind: str, *, known: bool) -> None:
    written = {"apiVersion": version, "kind": kind, "metadata": {"name": "a"}, "spec": {"nodeName": "a"}}

    assert (reduce_any(written) is not None) is known


def test_a_profile_keeps_its_spec_as_it_was_written() -> None:
    facts = reduce_any(profile("p", {"b": "2", "a": "1"}, kubelet={"version": "1.37"}))

    assert facts is not None
    assert not isinstance(facts, AlignmentFacts | NodeFacts | SliceFacts)
    assert (facts.name, facts.labels) == ("p", (("a", "1"), ("b", "2")))  # type: ignore[union-attr] # not a report


@given(json_values)
def test_no_word_of_an_agent_makes_its_reader_raise(value: object) -> None:
    entry = {"id": 0, "memory": "1Gi", "numaNode": 0, "amounts": value}
    lists = {key: [value, entry] for key in ("numa", "free", "unread")}
    devices = {"a.b/c": [value, {"id": "x", "numa": value}]}
    settings = {"topologyManagerPolicy": value, "reservedMemory": value, "version": value}
    spec = {**lists, "observed": value, "devices": devices, "kubelet": settings}
    for one in (spec, {**spec, "numa": value, "devices": value, "kubelet": value}, value):
        facts = reduce_alignment({"metadata": {"name": "a"}, "spec": one})
        why_no_class(read(NodeView(labels={}, alignment=facts)).spec)


@given(json_values)
def test_no_object_makes_a_reducer_raise(value: object) -> None:
    spread = {"metadata": value, "spec": value, "status": value, "zones": [value], "attributes": [value]}
    for whole in (value, spread, {"spec": {"nodeName": "a", "devices": [value, {"attributes": value}]}}):
        reduce_node(whole)  # type: ignore[arg-type] # objects of any shape arrive
        reduce_nrt(whole)  # type: ignore[arg-type] # as above
        reduce_slice(whole)  # type: ignore[arg-type] # as above
        reduce_alignment(whole)  # type: ignore[arg-type] # as above
        json.dumps(reduce_any(whole), default=str)  # type: ignore[arg-type] # as above
