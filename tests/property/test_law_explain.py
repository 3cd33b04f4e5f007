"""Laws of the explanation on made-up machines and pods: nothing is lost, counted twice or wider than asked."""

import os
from collections.abc import Iterator
from random import Random

from differential import arrivals
from differential import nodes
from kubelets import Raw

from webhook.cli.drawing.boxes import boxes
from webhook.cli.drawing.html_machine import machine
from webhook.cli.drawing.spans import width
from webhook.domain.drawing import CellDrawing
from webhook.domain.drawing import MachineDrawing
from webhook.domain.drawing import State
from webhook.domain.drawing import draw
from webhook.domain.facts import read
from webhook.domain.kubelet.admit import admit_on_empty
from webhook.domain.kubelet.trace import Trace
from webhook.domain.kubelet.trace import trace
from webhook.domain.topology import NodeClass

COUNT = int(os.environ.get("NUMAGATE_EXPLANATIONS", "150"))
SEED = 1


def made() -> Iterator[tuple[NodeClass, Raw]]:
    random = Random(SEED)  # noqa: S311 - test data
    for _ in range(COUNT):
        node_class = nodes.node_class(random)
        for pod in arrivals.pods(random, node_class)[:2]:
            yield node_class, pod


def shown(drawing: MachineDrawing) -> list[CellDrawing]:
    """Answer every NUMA node, also those that stand for others."""
    return [cell for socket in drawing.sockets for cell in socket.cells] + [
        fold.sample for fold in drawing.folds for _ in fold.cells
    ]


def test_the_trace_ends_as_the_admission_does() -> None:
    for node_class, pod in made():
        facts = read(pod)
        told: Trace = trace(facts, node_class)
        assert told.admission == admit_on_empty(facts, node_class)
        if told.admission.admitted:
            assert all(merge.admitted for merge in told.merges)
        if told.admission.reason == "TopologyAffinityError":
            assert [merge.admitted for merge in told.merges][-1:] == [False]
        for hints in (one for merge in told.merges for one in merge.lists if one.hints):
            ordered = sorted(hints.hints or (), key=lambda hint: (not hint.preferred, len(hint.cells)))
            assert list(hints.hints or ()) == ordered
            assert hints.count >= len(ordered)


def test_a_drawing_has_every_cpu_device_and_byte_once() -> None:
    for node_class, pod in made():
        admission = admit_on_empty(read(pod), node_class)
        drawing = draw(node_class, admission)
        cells, taken = shown(drawing), 0
        for placement in admission.placements:
            taken |= placement.cpus
        marks = [mark for cell in cells for resource in cell.devices.values() for mark in resource]
        marks += [mark for loose in drawing.loose.values() for mark in loose]
        assert sum(len(tuple(cell.cpus)) for cell in cells) == sum(cell.cpus.bit_count() for cell in node_class.cells)
        assert sum(cpu.state is State.TAKEN for cell in cells for cpu in cell.cpus) == taken.bit_count()
        assert len(marks) == sum(map(len, node_class.devices.values()))
        assert sum(mark.owner is not None for mark in marks) == len(
            {(name, device) for one in admission.placements for name, ids in one.devices.items() for device in ids}
        )
        for bar in (bar for cell in cells for bar in cell.bars):
            assert sum(part.size for part in bar.parts) == bar.size


def test_every_drawing_fits_its_columns_and_can_be_written_as_html() -> None:
    for number, (node_class, pod) in enumerate(made()):
        admission = admit_on_empty(read(pod), node_class)
        drawing = draw(node_class, admission)
        columns = 36 + number % 85
        assert max(map(width, boxes(drawing, columns))) <= columns
        assert machine(drawing, [placement.container for placement in admission.placements])
