"""PodResources over a real gRPC server on a Unix socket: what was given, joined, and every way not to be told."""

from pathlib import Path

import fakekubelet
import grpc
import pytest
from fakekubelet import Kubelet
from fakekubelet import container
from fakekubelet import devices
from fakekubelet import listing
from fakekubelet import memory
from fakekubelet import pod
from hypothesis import given
from hypothesis import strategies as st

from webhook.domain.observation import ObservedDevice
from webhook.node.readers import pod_resources
from webhook.node.readers import pod_resources_api as api
from webhook.node.readers.pod_resources import ContainerGrant
from webhook.node.readers.pod_resources import PodResourcesError
from webhook.node.readers.pod_resources import read_devices
from webhook.node.readers.pod_resources import read_grants

GPU = "nvidia.com/gpu"
GIB = 1 << 30
LIST = bytes.fromhex(
    "0ae6020a056c6c6d2d3012067465616d2d611aca020a0673657276657212220a0e6e76696469612e636f6d2f67707512054750552d30"
    "12054750552d311a020a00121d0a0e6e76696469612e636f6d2f67707512054750552d341a040a020801121f0a0f6578616d706c652e"
    "636f6d2f6e6963120c303030303a33623a30302e30121c0a106578616d706c652e636f6d2f626f74681204776964651a020a00121e0a"
    "106578616d706c652e636f6d2f626f74681204776964651a040a02080112180a116578616d706c652e636f6d2f656d7074791201651a"
    "001a040a020b0322120a066d656d6f72791080808080201a020a0022140a066d656d6f72791080808080041a040a02080122190a0d68"
    "75676570616765732d3147691080808080041a020a002a391201631a067465616d2d61222c0a070a05782f793d7a120f6770752e6578"
    "616d706c652e636f6d1a066e6f64652d3122056770752d332a01731a080a0668656c7065720a3b0a0577686f6c6512067465616d2d61"
    "1a080a036f776e1a01041a080a0673686172656422030405062a110a066d656d6f72791080201a040a020801"
)
"""What protoc makes of these pods with the kubelet's own api.proto (1.37)."""
ALLOCATABLE = bytes.fromhex(
    "0a1b0a0e6e76696469612e636f6d2f67707512054750552d301a020a000a1d0a0e6e76696469612e636f6d2f67707512054750552d34"
    "1a040a020801120202031a120a066d656d6f72791080808080401a020a00"
)


def only(kubelet: Kubelet, socket: Path, **fields: object) -> ContainerGrant:
    """Let the kubelet list one container with these fields, and read it."""
    kubelet.answers[api.LIST] = listing(pod("llm-0", container(**fields)))
    return read_grants(socket).containers["team-a", "llm-0", "server"]


def test_a_path_that_is_too_long_for_a_socket_is_said(tmp_path: Path) -> None:
    socket = tmp_path / ("x" * 108)
    socket.touch()

    with pytest.raises(PodResourcesError, match=r"x: too long a path for a socket: link to its folder"):
        read_grants(socket)


def test_cpus_come_in_any_order(kubelet: Kubelet, socket: Path) -> None:
    assert only(kubelet, socket, cpu_ids=[10, 2, 11, 3]).cpus == 0b1100_0000_1100
    assert kubelet.calls == [api.LIST]


def test_blocks_of_memory_are_summed_by_type(kubelet: Kubelet, socket: Path) -> None:
    blocks = [memory("memory", 8 * GIB, 0), memory("memory", GIB, 1), memory("hugepages-1Gi", GIB, 0)]

    assert only(kubelet, socket, memory=blocks).memory == {"memory": (9 * GIB, 0b11), "hugepages-1Gi": (GIB, 0b01)}


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        ((0,), 0b1),  # NUMANode{} on the wire: zeros are left out
        ((3,), 0b1000),
        ((0, 1), 0b11),
        ((), None),
        (None, None),
        ((-1,), None),
        ((5000,), None),
    ],
)
def test_a_topology_without_a_numa_node_is_unknown(
    kubelet: Kubelet, socket: Path, cells: tuple[int, ...] | None, expected: int | None
) -> None:
    found = only(kubelet, socket, devices=[devices(GPU, "GPU-0", cells=cells)])

    assert found.devices == (ObservedDevice(GPU, "GPU-0", expected),)


def test_entries_of_one_device_are_joined(kubelet: Kubelet, socket: Path) -> None:
    entries = [
        devices(GPU, "GPU-0", "GPU-1", cells=(0,)),
        devices(GPU, "GPU-1", cells=(1,)),
        devices(GPU, "GPU-2", cells=None),
        devices(GPU, "GPU-2", cells=(1,)),
        devices("example.com/nic", "GPU-0", cells=None),
    ]
    assert only(kubelet, socket, devices=entries).devices == (
        ObservedDevice(GPU, "GPU-0", 0b01),
        ObservedDevice(GPU, "GPU-1", 0b11),
        ObservedDevice(GPU, "GPU-2", 0b10),
        ObservedDevice("example.com/nic", "GPU-0", None),
    )


def test_devices_of_claims_are_named_without_a_numa_node(kubelet: Kubelet, socket: Path) -> None:
    claimed = api.message("ClaimResource")(driver_name="gpu.example.com", pool_name="node-1", device_name="gpu-3")
    claim = api.message("DynamicResource")(claim_name="c", claim_resources=[claimed])

    assert only(kubelet, socket, dynamic_resources=[claim]).devices == (
        ObservedDevice("gpu.example.com", "node-1/gpu-3", None),
    )


def test_what_a_pod_got_whole_belongs_to_containers_without_their_own(kubelet: Kubelet, socket: Path) -> None:
    whole = {"cpu_ids": [4, 5, 6], "memory": [memory("memory", 4096, 1)]}
    kubelet.answers[api.LIST] = listing(pod("llm", container("own", cpu_ids=[4]), container("shared"), **whole))

    found = read_grants(socket).containers

    assert {name: grant.cpus for (_, _, name), grant in found.items()} == {"own": 0b1_0000, "shared": 0b110_0000}
    assert found["team-a", "llm", "shared"].memory == {"memory": (4096, 0b10)}


def test_a_pod_that_is_being_admitted_has_been_given_nothing_yet(kubelet: Kubelet, socket: Path) -> None:
    assert only(kubelet, socket) == ContainerGrant(cpus=0, memory={}, devices=())


def test_pods_that_are_listed_twice_are_told(kubelet: Kubelet, socket: Path) -> None:
    kubelet.answers[api.LIST] = listing(pod("a", container()), pod("a", container(cpu_ids=[1])), pod("b", container()))

    assert read_grants(socket).twice == {("team-a", "a")}


def test_all_devices_of_the_node_are_read(kubelet: Kubelet, socket: Path) -> None:
    kubelet.answers[api.ALLOCATABLE] = fakekubelet.allocatable(
        devices(GPU, "GPU-0", cells=(0,)), devices(GPU, "GPU-4", cells=(1,))
    )

    assert read_devices(socket) == (ObservedDevice(GPU, "GPU-0", 0b01), ObservedDevice(GPU, "GPU-4", 0b10))


def test_bytes_made_with_the_kubelets_own_description_are_understood(kubelet: Kubelet, socket: Path) -> None:
    kubelet.answers[api.LIST] = LIST
    kubelet.answers[api.ALLOCATABLE] = ALLOCATABLE

    found = read_grants(socket).containers

    assert found["team-a", "llm-0", "server"] == ContainerGrant(
        cpus=0b1100_0000_1100,
        memory={"memory": (9 * GIB, 0b11), "hugepages-1Gi": (GIB, 0b01)},
        devices=(
            ObservedDevice(GPU, "GPU-0", 0b01),
            ObservedDevice(GPU, "GPU-1", 0b01),
            ObservedDevice(GPU, "GPU-4", 0b10),
            ObservedDevice("example.com/nic", "0000:3b:00.0", None),
            ObservedDevice("example.com/both", "wide", 0b11),
            ObservedDevice("example.com/empty", "e", None),
            ObservedDevice("gpu.example.com", "node-1/gpu-3", None),
        ),
    )
    assert found["team-a", "llm-0", "helper"] == ContainerGrant(0, {}, ())
    assert (found["team-a", "whole", "own"].cpus, found["team-a", "whole", "shared"].cpus) == (0b1_0000, 0b110_0000)
    assert read_devices(socket) == (ObservedDevice(GPU, "GPU-0", 0b01), ObservedDevice(GPU, "GPU-4", 0b10))


@pytest.mark.parametrize(
    ("code", "details", "told"),
    [
        (grpc.StatusCode.RESOURCE_EXHAUSTED, "rejected by rate limit", "RESOURCE_EXHAUSTED: rejected by rate limit"),
        (grpc.StatusCode.UNKNOWN, "pods\n\x1b[2Jgone", r"UNKNOWN: pods\n\x1b[2Jgone"),
        (grpc.StatusCode.INTERNAL, "", "INTERNAL: no reason given"),
    ],
)
def test_a_refusal_of_the_kubelet_is_told(
    kubelet: Kubelet, socket: Path, code: grpc.StatusCode, details: str, told: str
) -> None:
    kubelet.error = (code, details)

    with pytest.raises(PodResourcesError) as caught:
        read_grants(socket)

    assert str(caught.value) == f"{socket}: {told}"


def test_an_older_kubelet_that_does_not_know_the_call_is_told(kubelet: Kubelet, socket: Path) -> None:
    del kubelet.answers[api.ALLOCATABLE]

    with pytest.raises(PodResourcesError, match="UNIMPLEMENTED"):
        read_devices(socket)


def test_a_kubelet_that_hangs_is_left_after_the_deadline(kubelet: Kubelet, socket: Path) -> None:
    kubelet.hangs = True

    with pytest.raises(PodResourcesError, match="DEADLINE_EXCEEDED"):
        read_grants(socket, seconds=0.1)


def test_an_answer_that_is_too_long_is_refused(kubelet: Kubelet, socket: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pod_resources, "MOST", 1000)
    kubelet.answers[api.LIST] = listing(pod("x" * 2000, container()))

    with pytest.raises(PodResourcesError, match="RESOURCE_EXHAUSTED"):
        read_grants(socket)


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (b"\xff", "the kubelet's answer is no ListPodResourcesResponse"),
        (listing(pod("a", container(cpu_ids=[-1]))), "CPU -1 of the kubelet's answer cannot be"),
        (listing(pod("a", container(cpu_ids=[8192]))), "CPU 8192 of the kubelet's answer cannot be"),
    ],
)
def test_an_answer_that_cannot_be_is_refused(kubelet: Kubelet, socket: Path, answer: bytes, told: str) -> None:
    kubelet.answers[api.LIST] = answer

    with pytest.raises(PodResourcesError, match=told):
        read_grants(socket)


def test_a_socket_that_is_not_there_or_is_none_is_told(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        read_grants(tmp_path / "none")

    (tmp_path / "file").touch()
    with pytest.raises(PodResourcesError, match="UNAVAILABLE"):
        read_grants(tmp_path / "file")


@given(st.binary(max_size=60), st.binary(max_size=60))
def test_any_answer_is_read_or_refused(start: bytes, end: bytes) -> None:
    for answer in (start, start + LIST[len(start) : -len(end) or None] + end):
        try:
            found = pod_resources.grants_of(answer)
        except PodResourcesError:
            continue
        assert all(grant.cpus >= 0 for grant in found.containers.values())
