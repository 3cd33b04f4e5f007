"""PCI devices have the NUMA node that sysfs knows, or none."""

from pathlib import Path

from nodetree import NodeTree

from webhook.domain.observation import PciDevice
from webhook.domain.observation import Unread
from webhook.node.readers.files import Gaps
from webhook.node.readers.pci import read_pci


def test_minus_one_no_file_and_nonsense_mean_that_nobody_knows_the_numa_node(tmp_path: Path) -> None:
    tree = NodeTree(tmp_path)
    for bus, cell in enumerate((1, -1, None, 5000)):
        tree.pci(f"0000:0{bus}:00.0", cell=cell)

    assert read_pci(tree.roots.sys, Gaps()) == (
        PciDevice("0000:00:00.0", 0x030200, 1),
        PciDevice("0000:01:00.0", 0x030200, None),
        PciDevice("0000:02:00.0", 0x030200, None),
        PciDevice("0000:03:00.0", 0x030200, None),
    )


def test_a_machine_without_the_bus_has_no_devices(tmp_path: Path) -> None:
    gaps = Gaps()

    assert read_pci(tmp_path, gaps) == ()
    assert gaps.unread == ()


def test_a_bus_that_cannot_be_listed_and_a_class_that_is_none_are_said(tmp_path: Path) -> None:
    gaps = Gaps()
    NodeTree(tmp_path).write("sys/bus/pci/devices", "")
    assert read_pci(tmp_path / "sys", gaps) == ()
    assert gaps.unread == (Unread("pci", f"{tmp_path}/sys/bus/pci/devices: Not a directory"),)

    gaps = Gaps()
    tree = NodeTree(tmp_path / "other")
    tree.write(f"{tree.pci('0000:00:00.0')}/class", "display")
    assert read_pci(tree.roots.sys, gaps) == (PciDevice("0000:00:00.0", 0, None),)
    assert [one.field for one in gaps.unread] == ["pci"]
