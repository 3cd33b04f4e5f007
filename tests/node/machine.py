"""The guest as the simulation sees it: a node class with the memory that its kernel has found."""

import re
from collections.abc import Mapping

from node import pods
from node.guest import Guest
from node.hardware import Hardware
from node.kubelet import Kubelet
from node.shapes import Shape

from webhook.domain.topology import Cell
from webhook.domain.topology import Core
from webhook.domain.topology import Device
from webhook.domain.topology import KubeletSettings
from webhook.domain.topology import NodeClass

Devices = Mapping[str, tuple[Device, ...]]

HUGE_PAGES = "/sys/devices/system/node/node*/hugepages/hugepages-2048kB/nr_hugepages"
MEMORY = re.compile(r"Node (\d+) MemTotal: +(\d+) kB")
PAGES = re.compile(r"Node (\d+) HugePages_Total: +(\d+)")


def node_class(guest: Guest, kubelet: KubeletSettings, devices: Devices) -> NodeClass:
    """Describe a guest whose kubelet has these settings and devices."""
    found = guest.run("cat /sys/devices/system/node/node*/meminfo")
    memory = {int(cell): int(size) << 10 for cell, size in MEMORY.findall(found)}
    pages = {int(cell): int(count) for cell, count in PAGES.findall(found)}
    return described(guest.hardware, kubelet, devices, memory=memory, pages=pages)


def started(kubelet: Kubelet, shape: Shape) -> NodeClass:
    """Start the kubelet of a shape on an empty node, and answer what the simulation is to make of it."""
    guest = kubelet.guest
    pods.remove_all(kubelet.cluster)
    kubelet.stop()
    guest.run(f"for file in {HUGE_PAGES}; do echo {shape.pages} > $file; done")
    node = node_class(guest, shape.settings(guest.hardware), shape.devices())
    kubelet.start(node)
    return node


def described(
    hardware: Hardware,
    kubelet: KubeletSettings,
    devices: Devices,
    *,
    memory: Mapping[int, int],
    pages: Mapping[int, int],
) -> NodeClass:
    """Describe a machine with so many bytes and huge pages of 2Mi on each NUMA node."""
    cells = tuple(_cell(hardware, number, memory[number], pages[number]) for number in sorted(memory))
    return NodeClass(name="guest", cells=cells, devices=devices, kubelet=kubelet)


def _cell(hardware: Hardware, number: int, memory: int, pages: int) -> Cell:
    first = number * hardware.per_cell
    starts = range(first, first + hardware.per_cell, hardware.threads)
    socket = number * hardware.sockets // hardware.cells
    return Cell(
        id=number,
        memory=memory,
        cores=tuple(Core(tuple(range(start, start + hardware.threads)), socket) for start in starts),
        hugepages={"2Mi": pages},
        distances=tuple(hardware.distance(number, other) for other in range(hardware.cells)),
    )
