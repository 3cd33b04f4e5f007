"""The drawing in lines of text: boxes, bands of cores, bars, devices, and what is only counted."""

from dataclasses import replace

import pytest
from kubelets import GIB
from kubelets import GPU
from kubelets import app
from kubelets import cells
from kubelets import gpus
from kubelets import machine
from kubelets import pod

from webhook.cli.drawing.boxes import boxes
from webhook.cli.drawing.boxes import style
from webhook.cli.drawing.spans import plain
from webhook.cli.drawing.spans import width
from webhook.domain.drawing import draw
from webhook.domain.kubelet.admit import admit_on_empty
from webhook.domain.topology import Cell
from webhook.domain.topology import Core
from webhook.domain.topology import Device
from webhook.domain.topology import NodeClass
from webhook.sources.machines import list_machines
from webhook.sources.policy_file import load_profile


def drawn(node_class: NodeClass, *containers: dict[str, object], columns: int = 100) -> list[str]:
    admission = admit_on_empty(pod(*containers), node_class) if containers else None
    return plain(boxes(draw(node_class, admission), columns)).split("\n")


def large(cpus: int, number: int) -> NodeClass:
    """Make a machine of `number` NUMA nodes with `cpus` CPUs in all."""
    per_cell = cpus // number
    shape = tuple(
        Cell(cell, 64 * GIB, tuple(Core((cell * per_cell + n,), socket=cell) for n in range(per_cell)))
        for cell in range(number)
    )
    options = {"max-allowable-numa-nodes": "64"}
    return machine(cells=shape, devices=gpus([1] * number), reserved_cpus="0", topology_manager_policy_options=options)


def test_containers_have_letters_and_siblings_stand_below_each_other() -> None:
    assert drawn(machine(), app("4/8Gi/1", "a"), app("2/4Gi/2", "b")) == [
        "┌─ NUMA node 0, socket 0 ──────────────────────┐ ┌─ NUMA node 1, socket 1 ──────────────────────┐",
        "│ CPUs 6 taken, 2 reserved                     │ │ CPUs 8 free                                  │",
        "│ ▒AAB                                         │ │ ····                                         │",
        "│ ▒AAB                                         │ │ ····                                         │",
        "│ memory 12Gi taken, 19Gi free                 │ │ memory 31Gi free                             │",
        "│ AAAAAAAAAAABBBBB···························▒ │ │ ···········································▒ │",
        "│ nvidia.com/gpu ABB·                          │ │ nvidia.com/gpu ····                          │",
        "└──────────────────────────────────────────────┘ └──────────────────────────────────────────────┘",
    ]


def test_a_narrow_terminal_has_the_boxes_below_each_other() -> None:
    assert drawn(machine(), columns=44)[:8] == [
        "┌─ NUMA node 0, socket 0 ──────────────────┐",
        "│ CPUs 6 free, 2 reserved                  │",
        "│ ▒···                                     │",
        "│ ▒···                                     │",
        "│ memory 31Gi free                         │",
        "│ ·······································▒ │",
        "│ nvidia.com/gpu ····                      │",
        "└──────────────────────────────────────────┘",
    ]


def test_many_cores_stand_in_even_bands() -> None:
    shown = drawn(large(112, 2), columns=80)

    assert [line.split("│")[1].strip() for line in shown[2:4]] == [
        "▒······· ········ ········ ········",
        "········ ········ ········",
    ]


def test_idle_memory_nodes_are_one_line() -> None:
    shown = drawn(load_profile("gb200-tray-numa"))

    assert shown[-1] == "NUMA nodes 2-33, nothing placed: each no CPUs, no memory"
    assert len(shown) < 12


def test_a_single_folded_numa_node_is_told_without_each() -> None:
    shape = (*cells(1), Cell(1, 64 * GIB))

    assert drawn(machine(cells=shape, devices={}))[-1] == "NUMA node 1, nothing placed: no CPUs, 64Gi memory"


def test_many_devices_are_counted() -> None:
    shown = drawn(machine(devices=gpus((100, 0))), app("2/1Gi/30"))

    assert "│ nvidia.com/gpu Ax30 ·x70" in shown[6]


def test_devices_without_one_numa_node_are_told_below() -> None:
    devices = {GPU: (Device("a"), Device("b", healthy=False))}

    assert drawn(machine(devices=devices))[-1] == "nvidia.com/gpu on no single NUMA node: ·!"


def test_a_long_resource_name_is_cut_and_its_devices_stand_below() -> None:
    name = f"example.com/{'x' * 200}"
    shown = drawn(machine(devices={name: (Device("a", (0,)),)}), columns=60)

    assert max(map(len, shown)) <= 60
    assert "│ ·   " in shown[7]


def test_small_parts_of_a_bar_show_while_they_are_few() -> None:
    shown = drawn(machine(), app("100m/1Mi/-", "tiny"), app("2/20Gi/1"))

    assert shown[5].startswith("│ ABBB")


def test_a_bar_of_very_many_parts_keeps_its_proportions() -> None:
    shown = drawn(machine(), *[app("100m/100Mi/-", f"c{number}") for number in range(60)])
    bar = shown[5].split("│")[1].strip()

    assert (len(bar), bar.count("·")) == (44, 35)


def test_containers_beyond_the_alphabet_share_a_sign() -> None:
    shown = drawn(machine(), *[app("100m/500Mi/-", f"c{number}") for number in range(60)])

    assert "#" in shown[5]


@pytest.mark.parametrize("columns", [36, 60, 80, 100, 120])
@pytest.mark.parametrize(("cpus", "number"), [(512, 1), (512, 2), (512, 8), (512, 64), (8, 8), (4096, 2)])
def test_every_machine_fits_the_columns(columns: int, cpus: int, number: int) -> None:
    lines = list(boxes(draw(large(cpus, number)), columns))

    assert max(map(width, lines)) <= columns
    assert len(lines) <= 72 + cpus // 32


@pytest.mark.parametrize("name", list_machines())
def test_every_machine_of_the_library_is_drawn_within_120_columns_and_60_lines(name: str) -> None:
    lines = list(boxes(draw(load_profile(name)), 120))

    assert max(map(width, lines)) <= 120
    assert len(lines) <= 60


def test_a_machine_without_anything_to_draw_is_told() -> None:
    shape = tuple(replace(cell, cores=()) for cell in cells(2))

    assert drawn(machine(cells=shape, devices={})) == ["NUMA nodes 0-1, nothing placed: each no CPUs, 32Gi memory"]


def test_a_memory_node_in_use_is_a_box_without_cpus() -> None:
    wide = machine("best-effort", cells=(*cells(1, 4, 4 * GIB), Cell(1, 64 * GIB)), devices={}, reserved_cpus="0")
    shown = drawn(wide, app("2/20Gi/-"))

    assert [line.split("│")[3].strip() for line in shown[1:3]] == [
        "memory 17Gi taken, 46Gi free",
        "A" * 12 + "·" * 31 + "▒",
    ]


def test_colours_come_again_after_the_last() -> None:
    assert style(0) == style(8) == "black on green"
