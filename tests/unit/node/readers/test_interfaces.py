"""Network interfaces have the NUMA node of their device, and the CPUs that serve its interrupts."""

from pathlib import Path

import pytest
from nodetree import NodeTree
from nodetree import two_sockets

from webhook.domain.observation import Interface
from webhook.domain.observation import Unread
from webhook.node.readers.files import Gaps
from webhook.node.readers.interfaces import read_interfaces


def interfaces_of(tree: NodeTree) -> tuple[Interface, ...]:
    """Read the interfaces of a tree in which everything is readable."""
    gaps = Gaps()
    found = read_interfaces(tree.roots.sys, tree.roots.proc, gaps)
    assert gaps.unread == ()
    return found


def test_interrupts_go_where_the_kernel_says_they_do(tmp_path: Path) -> None:
    tree = two_sockets(tmp_path)
    tree.interrupt(42, "2", device="sys/devices/pci0000:3b/0000:3b:01.0", effective="2")

    assert interfaces_of(tree) == (Interface("eth0", 0, 0b101), Interface("eth1", 1, 0b10000))


@pytest.mark.parametrize("effective", [None, ""])
def test_without_that_they_go_where_they_may(tmp_path: Path, effective: str | None) -> None:
    tree = NodeTree(tmp_path)
    nic = tree.pci("0000:00:00.0", cell=0)
    tree.interface("eth0", nic)
    tree.interrupt(40, "0-3", device=nic, effective=effective)

    assert interfaces_of(tree) == (Interface("eth0", 0, 0b1111),)


def test_a_virtio_interface_has_node_and_interrupts_of_its_pci_device(tmp_path: Path) -> None:
    tree = NodeTree(tmp_path)
    card = tree.pci("0000:00:03.0", cell=1)
    tree.write(f"{card}/virtio2/modalias", "virtio")
    tree.interface("eth0", f"{card}/virtio2")
    tree.interrupt(30, "4", device=card)

    assert interfaces_of(tree) == (Interface("eth0", 1, 0b10000),)


def test_an_interrupt_line_counts_where_there_are_no_messages(tmp_path: Path) -> None:
    tree = NodeTree(tmp_path)
    for name, line in (("eth0", "11"), ("eth1", "0")):
        card = tree.pci(f"0000:00:0{line[-1]}.0", cell=-1)
        tree.write(f"{card}/irq", line)
        tree.interface(name, card)
    tree.interrupt(11, "1")

    assert interfaces_of(tree) == (Interface("eth0", None, 0b10), Interface("eth1", None, None))


def test_interfaces_without_a_device_are_left_out(tmp_path: Path) -> None:
    tree = NodeTree(tmp_path)
    tree.write("sys/class/net/lo/mtu", "65536")
    tree.write("sys/class/net/veth0/mtu", "1500")

    assert interfaces_of(tree) == ()


def test_an_affinity_that_cannot_be_read_is_said(tmp_path: Path) -> None:
    tree = NodeTree(tmp_path)
    nic = tree.pci("0000:00:00.0", cell=0)
    tree.interface("eth0", nic)
    tree.interrupt(40, "0-3", device=nic)
    tree.write("proc/irq/40/smp_affinity_list", "all of them")
    gaps = Gaps()

    assert read_interfaces(tree.roots.sys, tree.roots.proc, gaps) == (Interface("eth0", 0, None),)
    file = tree.roots.proc / "irq/40/smp_affinity_list"
    assert gaps.unread[0].reason.startswith(f"eth0: {file}: 'all of them' is no CPU or range of CPUs")


def test_a_machine_without_network_has_no_interfaces(tmp_path: Path) -> None:
    assert interfaces_of(NodeTree(tmp_path)) == ()


def test_a_class_that_cannot_be_listed_is_said(tmp_path: Path) -> None:
    NodeTree(tmp_path).write("sys/class/net", "")
    gaps = Gaps()

    assert read_interfaces(tmp_path / "sys", tmp_path, gaps) == ()
    assert gaps.unread == (Unread("interfaces", f"{tmp_path}/sys/class/net: Not a directory"),)
