"""Where a node's files lie."""

from pathlib import Path

from webhook.node.roots import Roots


def test_the_usual_places_are_below_a_root() -> None:
    found = Roots.below(Path("/host"))

    assert found == Roots(
        proc=Path("/host/proc"),
        sys=Path("/host/sys"),
        cgroup=Path("/host/sys/fs/cgroup"),
        kubelet=Path("/host/var/lib/kubelet"),
        kubelet_config=Path("/host/var/lib/kubelet/config.yaml"),
    )
    assert found.pod_resources == Path("/host/var/lib/kubelet/pod-resources/kubelet.sock")


def test_a_kubelet_may_have_its_files_elsewhere() -> None:
    found = Roots.below(Path("/host"), kubelet="/data/kubelet", config="/etc/kubernetes/kubelet/config.json")

    assert found.kubelet == Path("/host/data/kubelet")
    assert found.kubelet_config == Path("/host/etc/kubernetes/kubelet/config.json")
