"""The drawing of a machine as a value: who has what, and what is not drawn."""

from dataclasses import replace

from kubelets import GIB
from kubelets import GPU
from kubelets import app
from kubelets import cells
from kubelets import gpus
from kubelets import init
from kubelets import machine
from kubelets import pod

from webhook.domain.drawing import CellDrawing
from webhook.domain.drawing import MachineDrawing
from webhook.domain.drawing import Mark
from webhook.domain.drawing import Part
from webhook.domain.drawing import State
from webhook.domain.drawing import draw
from webhook.domain.kubelet.admit import admit_on_empty
from webhook.domain.quantity import Quantity
from webhook.domain.topology import POD_LEVEL_GATE
from webhook.domain.topology import Cell
from webhook.domain.topology import Core
from webhook.domain.topology import Device
from webhook.domain.topology import NodeClass


def drawn(node_class: NodeClass, *containers: dict[str, object]) -> MachineDrawing:
    admission = admit_on_empty(pod(*containers), node_class)
    assert admission.admitted, admission
    return draw(node_class, admission)


def shown(drawing: MachineDrawing) -> list[CellDrawing]:
    return [cell for socket in drawing.sockets for cell in socket.cells]


def signs(cell: CellDrawing) -> str:
    """Write a cell's CPUs core by core: the owner's number, "r" for reserved, "." for free."""
    signs = {State.FREE: ".", State.RESERVED: "r", State.TAKEN: "?"}
    return " ".join(
        "".join(signs[cpu.state] if cpu.owner is None else str(cpu.owner) for cpu in core) for core in cell.cores
    )


def many(number: int = 12, **settings: object) -> NodeClass:
    options = {"max-allowable-numa-nodes": "16"}
    shape = cells(number, 2, 8 * GIB)
    return machine(
        cells=shape,
        devices=gpus([1] * number),
        reserved_cpus="0",
        topology_manager_policy_options=options,
        **settings,
    )


def test_an_empty_machine_shows_what_is_free_and_reserved() -> None:
    first, second = shown(draw(machine()))

    assert (signs(first), signs(second)) == ("rr .. .. ..", ".. .. .. ..")
    assert (first.idle, second.idle) == (True, True)


def test_cpus_reserved_by_size_are_those_that_the_cpu_manager_chose() -> None:
    by_size = machine(
        reserved_cpus="", node_allocatable_reservation={"cpu": Quantity.parse("2"), "memory": Quantity.parse("2Gi")}
    )

    assert [signs(cell) for cell in shown(draw(by_size))] == ["rr .. .. ..", ".. .. .. .."]


def test_a_class_whose_kubelet_does_not_start_is_drawn_all_the_same() -> None:
    broken = machine(cpu_manager_policy_options={"no-such": "true"}, reserved_cpus="0")

    assert [signs(cell) for cell in shown(draw(broken))] == ["r. .. .. ..", ".. .. .. .."]


def test_each_container_has_its_cpus_devices_and_memory() -> None:
    first, second = shown(drawn(machine(), app("4/8Gi/1", "a"), app("2/4Gi/2", "b")))

    assert (signs(first), second.idle) == ("rr 00 00 11", True)
    assert [mark.owner for mark in first.devices[GPU]] == [0, 1, 1, None]
    assert first.bars[0].parts == (
        Part(8 * GIB, State.TAKEN, 0),
        Part(4 * GIB, State.TAKEN, 1),
        Part(19 * GIB, State.FREE),
        Part(GIB, State.RESERVED),
    )


def test_what_an_init_container_leaves_is_drawn_as_the_later_ones() -> None:
    first, _ = shown(drawn(machine(), init("2/1Gi/-"), app("4/8Gi/1")))

    assert signs(first) == "rr 11 11 .."
    assert [part.owner for part in first.bars[0].parts] == [1, None, None]


def test_memory_over_several_numa_nodes_fills_them_in_order() -> None:
    both = machine("restricted")
    first, second = shown(drawn(both, app("10/40Gi/5")))

    assert [part.size // GIB for part in first.bars[0].parts] == [31, 1]
    assert [part.size // GIB for part in second.bars[0].parts] == [9, 22, 1]


def test_huge_pages_have_bars_of_their_own() -> None:
    shape = cells(hugepages={"2Mi": 1024})
    first, _ = shown(drawn(machine(cells=shape), app("4/8Gi/1", hugepages_2Mi="1Gi")))

    assert [(bar.resource, bar.size // GIB) for bar in first.bars] == [("memory", 30), ("hugepages-2Mi", 2)]
    assert first.bars[1].of(State.TAKEN) == GIB


def test_unhealthy_devices_are_marked() -> None:
    devices = {GPU: (Device("good", (0,)), Device("bad", (0,), healthy=False))}
    first, _ = shown(draw(machine(devices=devices)))

    assert first.devices[GPU] == (Mark("good", State.FREE), Mark("bad", State.UNHEALTHY))


def test_devices_without_one_numa_node_are_kept_apart() -> None:
    devices = {"example.com/nic": (Device("everywhere"), Device("both", (0, 1)), Device("elsewhere", (7,)))}
    drawing = draw(machine(devices=devices))

    assert [mark.id for mark in drawing.loose["example.com/nic"]] == ["everywhere", "both", "elsewhere"]
    assert [dict(cell.devices) for cell in shown(drawing)] == [{}, {}]


def test_numa_nodes_stand_in_their_sockets() -> None:
    shape = tuple(replace(cell, cores=tuple(replace(c, socket=cell.id // 2) for c in cell.cores)) for cell in cells(4))
    four = machine(cells=shape, devices={})

    assert [(socket.name, len(socket.cells)) for socket in draw(four).sockets] == [("socket 0", 2), ("socket 1", 2)]


def test_a_numa_node_over_two_sockets_says_so() -> None:
    shape = (Cell(0, 32 * GIB, (Core((0,), socket=0), Core((1,), socket=1))),)

    assert [socket.name for socket in draw(machine(cells=shape, devices={})).sockets] == ["sockets 0, 1"]


def test_idle_numa_nodes_without_cpus_and_devices_are_folded() -> None:
    shape = tuple(cell if cell.id < 2 else replace(cell, cores=(), memory=0) for cell in cells(34, 4, 64 * GIB))
    options = {"max-allowable-numa-nodes": "34"}
    reserved = {0: {"memory": GIB}, 1: {"memory": GIB}}
    tray = machine(
        cells=shape,
        reserved_cpus="0",
        reserved_memory=reserved,
        node_allocatable_reservation={"memory": Quantity.parse("2Gi")},
        topology_manager_policy_options=options,
    )
    drawing = drawn(tray, app("2/1Gi/1"))

    assert [cell.id for cell in shown(drawing)] == [0, 1]
    assert [fold.cells for fold in drawing.folds] == [tuple(range(2, 34))]


def test_a_memory_node_that_is_used_is_drawn() -> None:
    shape = (*cells(1, 4, 4 * GIB), Cell(1, 64 * GIB, distances=(20, 10)))
    wide = machine("best-effort", cells=shape, devices={}, reserved_cpus="0")
    drawing = drawn(wide, app("2/20Gi/-"))

    assert [(socket.name, [cell.id for cell in socket.cells]) for socket in drawing.sockets] == [
        ("socket 0", [0]),
        ("", [1]),
    ]


def test_on_a_large_machine_only_what_is_used_is_drawn() -> None:
    drawing = drawn(many(), app("2/1Gi/1"))

    assert [cell.id for cell in shown(drawing)] == [0]
    assert [fold.cells for fold in drawing.folds] == [tuple(range(1, 12))]


def test_an_empty_large_machine_shows_one_numa_node_of_each_shape() -> None:
    drawing = draw(many())

    assert [cell.id for cell in shown(drawing)] == [0, 1]
    assert [fold.cells for fold in drawing.folds] == [tuple(range(2, 12))]


def test_what_containers_share_in_their_pod_is_drawn_once() -> None:
    gated = machine(scope="pod", feature_gates={POD_LEVEL_GATE: True})
    block = {"cpu": "4", "memory": "30Gi"}
    whole = pod(app("1/1Gi"), {"name": "a"}, {"name": "b"}, resources={"limits": block, "requests": dict(block)})
    first, second = shown(draw(gated, admit_on_empty(whole, gated)))

    assert (signs(first), signs(second)) == ("rr 02 22 ..", ".. .. .. ..")
    assert [(part.size // GIB, part.owner) for part in first.bars[0].parts if part.state is State.TAKEN] == [
        (1, 0),
        (29, 2),
    ]
