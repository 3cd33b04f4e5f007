"""The simulation beside the real kubelet: the same verdict, CPUs, memory and devices, kubelet by kubelet."""

from itertools import islice

import httpx
import pytest
from differential.admissions import Form
from node import comparison
from node import hardware
from node import pods
from node import shapes
from node.kubelet import Kubelet
from node.machine import started
from node.shapes import PODS
from node.shapes import Shape

from webhook.domain import facts
from webhook.domain.kubelet.admit import Node

pytestmark = pytest.mark.node

QUICK = frozenset({"whole pods", "restricted"})
"""What CI has time for."""

TRIED = 40
"""So many pods are made for a shape at most: some of them no API server takes."""


@pytest.mark.parametrize(
    ("guest", "shape"),
    [
        pytest.param(
            machine,
            shape,
            id=f"{machine.cells} NUMA nodes, {shape.name}",
            marks=[] if shape.name in QUICK else pytest.mark.long,
        )
        for machine, table in ((hardware.SMALL, shapes.SMALL), (hardware.LARGE, shapes.LARGE))
        for shape in table
    ],
    indirect=["guest"],
    scope="session",
)
def test_the_kubelet_does_what_the_simulation_says(kubelet: Kubelet, shape: Shape) -> None:
    node = started(kubelet, shape)
    simulation = Node(node)
    compared: list[tuple[Form, Form]] = []

    for number, made in enumerate(islice(shape.pods(node), TRIED)):
        answer = pods.create(kubelet.cluster, pods.on_node(made, f"pod-{number}", held=True))
        if answer.status != httpx.codes.CREATED:
            continue
        pod = answer.body
        status = pods.judged(kubelet, pod["metadata"]["uid"])
        real = comparison.real(kubelet.states(), status, pod, node)
        ours = comparison.simulated(simulation.admit(facts.read(pod)), pod, node)
        compared.append((ours, real))
        assert ours == real, pod["spec"]
        if len(compared) == PODS:
            break

    assert len(compared) == PODS
