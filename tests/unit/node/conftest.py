"""What tests of a node's readers share."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from fakekubelet import Kubelet
from fakekubelet import serving


@pytest.fixture
def kubelet(kubelet_folder: Path) -> Iterator[Kubelet]:
    """Serve a kubelet's PodResources socket in its folder."""
    with serving(kubelet_folder / "pod-resources" / "kubelet.sock") as kubelet:
        yield kubelet


@pytest.fixture
def socket(kubelet_folder: Path, kubelet: Kubelet) -> Path:
    """Answer the path of the socket that is served."""
    assert kubelet.calls == []
    return kubelet_folder / "pod-resources" / "kubelet.sock"
