"""Which container a cgroup's path belongs to, for every driver and runtime, and for paths that are meant to fool us."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from nodetree import container_id
from nodetree import pod_uid

from webhook.node.readers.container_id import container_of

ID, OTHER = container_id(1), container_id(2)
UID = pod_uid()
UNDERSCORED = UID.replace("-", "_")
STATIC = "0123456789abcdef0123456789abcdef"
SLICE = f"/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod{UNDERSCORED}.slice"


@pytest.mark.parametrize(
    "path",
    [
        f"{SLICE}/cri-containerd-{ID}.scope",
        f"{SLICE}/crio-{ID}.scope",
        f"{SLICE}/crio-{ID}.scope/container",
        f"{SLICE}/docker-{ID}.scope",
        f"/kubepods.slice/kubepods-pod{UNDERSCORED}.slice/cri-containerd-{ID}.scope",
        f"/kubepods.slice/kubepods-besteffort.slice/kubepods-besteffort-pod{STATIC}.slice/crio-{ID}.scope",
        f"/kubepods/burstable/pod{UID}/{ID}",
        f"/kubepods/pod{UID}/{ID}",
        f"/kubepods/pod{STATIC}/{ID}",
        f"/kubepods/burstable/pod{UID}/crio-{ID}",
        f"/kubepods/burstable/pod{UID}/{ID}/init.scope",
        f"/kubelet.slice/kubelet-kubepods.slice/kubelet-kubepods-pod{UNDERSCORED}.slice/cri-containerd-{ID}.scope",
        f"/docker/{OTHER}/kubelet/kubepods/burstable/pod{UID}/{ID}",
        f"/system.slice/containerd.service/kubepods-burstable-pod{UNDERSCORED}.slice:cri-containerd:{ID}",
        f"/../../kubepods-burstable-pod{UNDERSCORED}.slice/cri-containerd-{ID}.scope",
        f"{SLICE}/cri-containerd-{ID}.scope (deleted)/x/cri-containerd-{OTHER}.scope".replace(" (deleted)", ""),
        f"{SLICE}/crio-{ID}.scope/kubepods/pod{UID}/{OTHER}",
    ],
)
def test_the_container_is_found(path: str) -> None:
    assert container_of(path) == ID


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "",
        "/init.scope",
        "/system.slice/containerd.service",
        SLICE,
        f"{SLICE}/crio-conmon-{ID}.scope",
        f"{SLICE}/cri-containerd-{ID[:-1]}.scope",
        f"{SLICE}/cri-containerd-{ID.upper().replace('0', 'A')}.scope",
        f"/docker/{ID}",
        f"/user.slice/user-1000.slice/cri-containerd-{ID}.scope",
        f"/user.slice/podman-{ID}.scope",
        f"/machine.slice/libpod-{ID}.scope/container",
    ],
)
def test_what_is_no_container_of_a_pod_is_none(path: str) -> None:
    assert container_of(path) is None


@given(st.text(max_size=200) | st.lists(st.sampled_from([f"pod{UID}", ID, "..", "", "kubepods"])).map("/".join))
def test_any_path_is_read(path: str) -> None:
    assert container_of(path) in {None, ID}
