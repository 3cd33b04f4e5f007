"""Whether classes take a pod: equal machines are simulated once and keep their names."""

from dataclasses import replace

from kubelets import GPU
from kubelets import app
from kubelets import machine
from kubelets import raw_pod

from webhook.domain import facts
from webhook.domain.fit import Fits
from webhook.domain.fit import fit
from webhook.domain.fit import fit_each
from webhook.domain.topology import with_shared_parts

EAST = replace(machine(), name="east", labels={"zone": "east"})
WEST = replace(machine(), name="west", labels={"zone": "west"})
POOR = replace(machine(cells=machine().cells[:1], reserved_cpus="0-3,8-10"), name="poor")


def test_classes_with_equal_machines_share_them_and_keep_their_names() -> None:
    east, west, poor = with_shared_parts([EAST, WEST, POOR])

    assert east.cells is west.cells
    assert east.devices is west.devices
    assert east.kubelet is west.kubelet
    assert [(one.name, dict(one.labels)) for one in (east, west)] == [
        ("east", {"zone": "east"}),
        ("west", {"zone": "west"}),
    ]
    assert (poor.cells, poor.devices, poor.kubelet) == (POOR.cells, POOR.devices, POOR.kubelet)


def test_a_pod_is_simulated_once_for_classes_with_shared_parts() -> None:
    pod, accelerators = facts.read(raw_pod(app("4/8Gi/2"))), {"app": {GPU: 2}}
    classes = with_shared_parts([EAST, WEST, POOR])
    east, west, poor = fit_each(pod, classes, accelerators)

    assert [one.node_class.name for one in (east, west, poor)] == ["east", "west", "poor"]
    assert [one.fits for one in (east, west, poor)] == [Fits.YES, Fits.YES, Fits.NO]
    assert east.admission is west.admission
    assert [one.reason for one in (west, poor)] == [fit(pod, one, accelerators).reason for one in (WEST, POOR)]
