"""The simulation beside the real kubelet: the same verdict, CPUs, memory and devices, kubelet by kubelet."""

from collections import Counter
from itertools import islice

import httpx
import pytest
from controlplane.cluster import ControlPlane
from differential.admissions import Form

from node import comparison
from node import hardware
from node import pods
from node import shapes
from node.guest import Guest
from node.kubelet import Kubelet
from node.machine import node_class
from node.shapes import PODS
from node.shapes import Shape
from webhook.domain import facts
from webhook.domain.kubelet.admit import Node
from webhook.domain.topology import NodeClass

pytestmark = pytest.mark.node

TRIED = 40
"""So many pods are made for a shape at most: some of them no API server takes."""

OUTCOMES: Counter[str] = Counter()


def started(kubelet: Kubelet, guest: Guest, shape: Shape) -> NodeClass:
    """Start the kubelet of a shape on an empty node."""
    pods.remove_all(kubelet.cluster)
    kubelet.stop()
    guest.run(
        f"for node in /sys/devices/system/node/node*; do echo {shape.pages} > $node/hugepages/hugepages-2048kB/nr_hugepages; done"
    )
    node = node_class(guest, shape.settings(guest.hardware), shape.devices())
    kubelet.start(node)
    return node


@pytest.mark.parametrize(
    ("guest", "shape"),
    [
        pytest.param(machine, shape, id=f"{machine.cells} NUMA nodes, {shape.name}")
        for machine, table in ((hardware.SMALL, shapes.SMALL), (hardware.LARGE, shapes.LARGE))
        for shape in table
    ],
    indirect=["guest"],
    scope="session",
)
def test_the_kubelet_does_what_the_simulation_says(
    kubelet: Kubelet, guest: Guest, cluster: ControlPlane, shape: Shape
) -> None:
    node = started(kubelet, guest, shape)
    simulation = Node(node)
    compared: list[tuple[Form, Form]] = []

    for number, made in enumerate(islice(shape.pods(node), TRIED)):
        answer = pods.create(cluster, pods.on_node(made, f"pod-{number}", held=True))
        if answer.status != httpx.codes.CREATED:
            continue
        pod = answer.body
        status = pods.judged(kubelet, pod["metadata"]["uid"])
        real = comparison.real(kubelet.states(), status, pod, node)
        ours = comparison.simulated(simulation.admit(facts.read(pod)), pod, node)
        OUTCOMES[real.get("reason", "admitted")] += 1
        compared.append((ours, real))
        assert ours == real, pod["spec"]
        if len(compared) == PODS:
            break

    assert len(compared) == PODS
