"""The machine library and its page in the documentation."""

from pathlib import Path

import pytest

from webhook.config.document import read_stream
from webhook.domain.errors import PolicyError
from webhook.domain.raw import get_object
from webhook.domain.raw import get_text
from webhook.domain.topology import NodeClass
from webhook.sources.machines import ALIASES
from webhook.sources.machines import FOLDER
from webhook.sources.machines import list_machines
from webhook.sources.machines import load_machine
from webhook.sources.policy_file import load_profile

PAGE = Path(__file__).parents[3] / "docs" / "machines.md"
GIB = 1 << 30


def row(name: str) -> str:
    """Write the line of the documentation's table that describes a machine."""
    machine = load_machine(name)
    text = (FOLDER / f"{name}.yaml").read_text(encoding="utf-8")
    notes = get_object(read_stream(text, name)[0].data, "metadata", "annotations")
    working = [cell for cell in machine.cells if cell.cores]
    nodes = str(len(machine.cells)) + (f" ({len(working)} with CPUs)" if len(working) < len(machine.cells) else "")
    cores, threads = len(working[0].cores), working[0].cpus.bit_count()
    memory = min(cell.memory for cell in working) // GIB
    columns = [f"`{name}`", get_text(notes, "title"), nodes, f"{cores}/{threads}", f"{memory}Gi", accelerators(machine)]
    return "| " + " | ".join([*columns, get_text(notes, "confidence"), get_text(notes, "memory")]) + " |"


def accelerators(machine: NodeClass) -> str:
    """Write the devices per NUMA node with CPUs, in the order of the nodes: `4+4 nvidia.com/gpu`."""
    parts = []
    for resource, devices in machine.devices.items():
        counts = [sum(device.numa == (cell.id,) for device in devices) for cell in machine.cells if cell.cores]
        parts.append("+".join(map(str, counts)) + f" {resource}")
    return ", ".join(parts)


def test_documentation_lists_exactly_the_machines_of_the_library_with_their_shapes() -> None:
    lines = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("| `")]
    expected = [row(name) for name in list_machines()]
    assert expected == lines


@pytest.mark.parametrize("name", list_machines())
def test_every_file_is_a_profile_that_passes_all_checks_of_a_user_s_file(name: str) -> None:
    assert repr(load_machine(name)) == repr(load_profile(str(FOLDER / f"{name}.yaml")))


@pytest.mark.parametrize("name", list_machines())
def test_every_file_carries_the_name_it_is_found_by(name: str) -> None:
    assert name == load_machine(name).name


@pytest.mark.parametrize("name", list_machines())
def test_every_file_says_how_its_facts_are_known(name: str) -> None:
    text = (FOLDER / f"{name}.yaml").read_text(encoding="utf-8")
    notes = get_object(read_stream(text, name)[0].data, "metadata", "annotations")
    known = {"measured", "vendor file", "operator report", "configuration", "derived", "made up"}
    assert get_text(notes, "confidence") in known
    assert get_text(notes, "memory")


@pytest.mark.parametrize("name", list_machines())
def test_every_machine_reserves_whole_cores_on_every_numa_node_with_cpus(name: str) -> None:
    machine = load_machine(name)
    for cell in machine.cells:
        reserved = [core for core in cell.cores if all(machine.reserved_cpus >> cpu & 1 for cpu in core.threads)]
        assert bool(cell.cores) == bool(reserved)
    whole = sum(
        len(core.threads) for cell in machine.cells for core in cell.cores if core_is_reserved(machine, core.threads)
    )
    assert whole == machine.reserved_cpus.bit_count()


def core_is_reserved(machine: NodeClass, threads: tuple[int, ...]) -> bool:
    """Tell whether any thread of a core is reserved."""
    return any(machine.reserved_cpus >> cpu & 1 for cpu in threads)


def test_reference_class_has_the_agreed_numbers() -> None:
    machine = load_machine("generic-2x4")
    first, second = machine.cells
    assert first.cores[0].threads == (0, 96)
    assert second.cores[47].threads == (95, 191)
    assert [cell.memory for cell in machine.cells] == [1024 * GIB] * 2
    assert machine.reserved_cpus == 1 << 0 | 1 << 48 | 1 << 96 | 1 << 144
    assert machine.kubelet.reserved_memory == {0: {"memory": 16 * GIB}, 1: {"memory": 16 * GIB}}
    assert [device.numa for device in machine.devices["nvidia.com/gpu"]] == [(0,)] * 4 + [(1,)] * 4
    assert machine.kubelet.topology_manager_policy == "single-numa-node"
    assert machine.kubelet.topology_manager_scope == "pod"
    assert machine.kubelet.full_pcpus_only
    assert not machine.assumed


def test_restricted_twin_differs_in_its_policy_only() -> None:
    plain, twin = load_machine("generic-2x4"), load_machine("generic-2x4-restricted")
    assert twin.kubelet.topology_manager_policy == "restricted"
    assert plain.kubelet.reserved_memory == twin.kubelet.reserved_memory
    assert (plain.cells, plain.devices) == (twin.cells, twin.devices)


def test_published_machine_leaves_cpus_0_to_15_to_the_first_pod() -> None:
    machine = load_machine("two-socket-32c")
    assert machine.reserved_cpus & 0xFFFF == 0
    assert machine.kubelet.topology_manager_scope == "container"
    assert machine.threads_per_core == 1


def test_machine_of_34_numa_nodes_has_cpus_on_two() -> None:
    cells = load_machine("gb200-tray-numa").cells
    assert list(range(34)) == [cell.id for cell in cells]
    assert [cell.id for cell in cells if cell.cores] == [0, 1]


def test_device_order_is_kept_where_it_is_not_the_order_of_numa_nodes() -> None:
    devices = load_machine("dgx-a100").devices["nvidia.com/gpu"]
    assert [device.numa for device in devices] == [(3,), (3,), (1,), (1,), (7,), (7,), (5,), (5,)]


@pytest.mark.parametrize("alias", sorted(ALIASES))
def test_alias_loads_the_machine_it_stands_for(alias: str) -> None:
    assert ALIASES[alias] == load_machine(alias).name
    assert f"`{alias}`" in PAGE.read_text(encoding="utf-8")


def test_assumed_class_says_so() -> None:
    assert load_machine("h100-2x4", assumed=True).assumed


@pytest.mark.parametrize("name", ["dgx-h10", "DGX-H100", "../generic-2x4", ""])
def test_unknown_machine_is_refused_with_a_suggestion(name: str) -> None:
    with pytest.raises(PolicyError, match=r"no machine of the library: (did you mean [a-z]|write one of aurora)"):
        load_machine(name)
