"""The drawing in HTML: squares, bars and chips with their owners."""

import re
from collections import Counter

from kubelets import GIB
from kubelets import GPU
from kubelets import app
from kubelets import cells
from kubelets import gpus
from kubelets import machine
from kubelets import pod

from webhook.cli.drawing.html_machine import COLOURS
from webhook.cli.drawing.html_machine import badge
from webhook.cli.drawing.html_machine import colour
from webhook.cli.drawing.html_machine import machine as drawn_machine
from webhook.domain.drawing import draw
from webhook.domain.kubelet.admit import admit_on_empty
from webhook.domain.topology import Cell
from webhook.domain.topology import Device
from webhook.domain.topology import NodeClass
from webhook.sources.policy_file import load_profile


def drawn(node_class: NodeClass, *containers: dict[str, object]) -> str:
    admission = admit_on_empty(pod(*containers), node_class) if containers else None
    owners = [one.container for one in admission.placements] if admission else []
    return drawn_machine(draw(node_class, admission), owners)


def classes(html: str, attribute: str) -> dict[str, str]:
    """Answer the class of each element by its data attribute."""
    found = {}
    for element in re.findall(rf"<[^>]*data-{attribute}=[^>]*>", html):
        name = re.search(rf'data-{attribute}="([^"]*)"', element)
        kind = re.search(r'class="([^"]*)"', element)
        assert name
        assert kind
        found[name[1]] = kind[1]
    return found


def test_every_cpu_is_a_square_of_its_state_or_owner() -> None:
    states = classes(drawn(machine(), app("4/8Gi/1", "a"), app("2/4Gi/2", "b")), "cpu")

    assert len(states) == 16
    assert (states["0"], states["1"], states["3"], states["4"]) == ("reserved", "own own0", "own own1", "free")


def test_every_device_is_a_chip_of_its_owner() -> None:
    states = classes(drawn(machine(), app("4/8Gi/1", "a"), app("2/4Gi/2", "b")), "device")

    assert [states[f"0-{n}"] for n in range(4)] == [
        "device own own0",
        "device own own1",
        "device own own1",
        "device free",
    ]


def test_siblings_stand_below_each_other() -> None:
    html = drawn(machine())

    assert re.search(r'<rect x="18" y="0"[^>]*data-cpu="1"', html)
    assert re.search(r'<rect x="18" y="18"[^>]*data-cpu="9"', html)


def test_the_bar_is_divided_by_size() -> None:
    bar = drawn(machine(), app("4/16Gi/1")).split('<svg class="bar"')[1].split("</svg>")[0]

    assert re.findall(r'<rect x="(\d+)" y="0" width="(\d+)" height="14" class="([^"]*)"', bar) == [
        ("0", "300", "own own0"),
        ("300", "281", "free"),
        ("581", "19", "reserved"),
    ]


def test_titles_name_the_owner_and_the_size() -> None:
    html = drawn(machine(), app("4/16Gi/1", "<a>"))

    assert "<title>CPU 1: &lt;a&gt;</title>" in html
    assert "<title>16Gi memory: &lt;a&gt;</title>" in html
    assert f'title="{GPU} 0-0: &lt;a&gt;"' in html


def test_sockets_and_numa_nodes_are_nested_and_idle_ones_are_a_sentence() -> None:
    html = drawn(load_profile("gb200-tray-numa"))

    assert Counter(re.findall(r"<h[56]>([^<]*)</h", html)) == Counter(
        ["socket 0", "NUMA node 0", "socket 1", "NUMA node 1"]
    )
    assert "NUMA nodes 2-33, nothing placed: each no CPUs, no memory" in html


def test_a_memory_node_in_use_is_a_card_without_squares() -> None:
    wide = machine("best-effort", cells=(*cells(1, 4, 4 * GIB), Cell(1, 64 * GIB)), devices={}, reserved_cpus="0")
    card = drawn(wide, app("2/20Gi/-")).split('data-cell="1"')[1]

    assert "17Gi taken, 46Gi free" in card
    assert "data-cpu" not in card


def test_very_many_devices_are_counted() -> None:
    html = drawn(machine(devices=gpus((100, 0))))

    assert len(classes(html, "device")) == 32
    assert "+68 more: 68 free" in html


def test_devices_without_one_numa_node_stand_below() -> None:
    html = drawn(machine(devices={GPU: (Device("a", healthy=False),)}))

    assert "nvidia.com/gpu on no single NUMA node" in html
    assert classes(html, "device") == {"a": "device unhealthy"}


def test_the_legend_explains_what_is_there_only() -> None:
    assert "unhealthy" not in drawn(machine())
    assert "reserved for the system" in drawn(machine())


def test_huge_pages_have_a_bar() -> None:
    assert drawn(machine(cells=cells(hugepages={"2Mi": 1024}))).count('<svg class="bar"') == 4


def test_colours_come_again_and_letters_do_not() -> None:
    assert (colour(0), colour(COLOURS)) == ("own own0", "own own0")
    assert badge(COLOURS) == '<span class="badge own own0">I</span>'
