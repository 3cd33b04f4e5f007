"""The machine is read whole."""

from pathlib import Path

from nodetree import two_sockets

from webhook.node.readers.machine import read_machine
from webhook.node.roots import Roots


def test_cells_devices_and_interfaces_are_read_together(tmp_path: Path) -> None:
    machine = read_machine(two_sockets(tmp_path).roots)

    assert [cell.id for cell in machine.cells] == [0, 1]
    assert machine.online == 0xFFFF
    assert [device.cell for device in machine.pci] == [0, 0, 1, 1]
    assert [interface.name for interface in machine.interfaces] == ["eth0", "eth1"]
    assert machine.unread == ()
    assert machine.cells_of(0b1_0000_1000) == 0b01
    assert machine.cells_of(0b1_0001_0000) == 0b11


def test_this_machine_can_be_read() -> None:
    machine = read_machine(Roots.below(Path("/")))

    assert machine.cells_of(machine.online)
    assert [one for one in machine.unread if one.field in {"cells", "online"}] == []


def test_nothing_is_no_machine_and_says_so(tmp_path: Path) -> None:
    machine = read_machine(Roots.below(tmp_path))

    assert (machine.cells, machine.online, machine.pci, machine.interfaces) == ((), 0, (), ())
    assert [one.field for one in machine.unread] == ["online"]
