"""Machines and settings in a profile's words, which come back as what they were."""

from dataclasses import replace

import pytest
from observations import GIB
from observations import SETTINGS
from observations import cell
from observations import machine

from webhook.config.document import from_object
from webhook.config.node_profile import to_node_class
from webhook.domain.observation import Machine
from webhook.domain.topology import Cell
from webhook.domain.topology import Core
from webhook.domain.topology import KubeletSettings
from webhook.domain.topology import NodeClass
from webhook.domain.topology_document import kubelet_block
from webhook.domain.topology_document import numa_blocks
from webhook.sources.machines import list_machines
from webhook.sources.machines import load_machine


def again(shown: Machine, settings: KubeletSettings = SETTINGS) -> NodeClass:
    spec = {"numa": numa_blocks(shown.cells, shown.online), "kubelet": kubelet_block(settings, settings.version)}
    return to_node_class(from_object({"spec": spec}, "node-a"), "node-a", spec)


def test_cpus_are_a_list_where_that_says_which_threads_share_a_core() -> None:
    assert numa_blocks(machine().cells, machine().online)[1] == {
        "id": 1,
        "memory": "64Gi",
        "cpus": "4-7,12-15",
        "threadsPerCore": 2,
        "distances": [21, 10],
    }


@pytest.mark.parametrize("name", list_machines())
def test_every_machine_of_the_library_comes_back_as_it_was(name: str) -> None:
    known = load_machine(name)
    shown = machine(*known.cells)

    assert again(shown, KubeletSettings()).cells == known.cells


@pytest.mark.parametrize(
    "cores",
    [
        (Core((0, 1), 0), Core((2, 3), 0)),
        (Core((0, 4), 0), Core((1,), 0)),
        (Core((0, 4), 0, uncore=0), Core((1, 5), 0, uncore=1)),
        (Core((0, 4), 0), Core((1, 5), 1)),
    ],
    ids=["threads side by side", "one thread is off", "two caches", "two sockets"],
)
def test_other_cores_are_written_one_by_one(cores: tuple[Core, ...]) -> None:
    shown = machine(Cell(0, GIB, cores))

    assert "cpus" not in numa_blocks(shown.cells, shown.online)[0]
    assert again(shown, KubeletSettings()).cells == shown.cells


def test_a_list_that_no_profile_may_hold_is_written_core_by_core() -> None:
    every_other = tuple(Core((cpu,), 0) for cpu in range(0, 4000, 2))

    assert "cores" in numa_blocks([Cell(0, GIB, every_other)], -1)[0]


def test_cpus_that_are_offline_are_left_out() -> None:
    shown = machine(cell(0), cell(1), online=0x00FF)

    assert [one.cpus for one in again(shown, KubeletSettings()).cells] == [0x0F, 0xF0]


def test_a_numa_node_without_cpus_has_memory_and_pages_alone() -> None:
    (block,) = numa_blocks([Cell(2, 96 * GIB, hugepages={"2Mi": 4})], online=1)

    assert block == {"id": 2, "memory": "96Gi", "hugepages": {"2Mi": 4}}


def test_settings_come_back_as_they_were() -> None:
    assert again(machine()).kubelet == SETTINGS
    assert again(machine(), KubeletSettings()).kubelet == KubeletSettings()


def test_a_policy_that_no_kubelet_of_ours_has_is_left_out() -> None:
    strange = replace(SETTINGS, cpu_manager_policy="dynamic", topology_manager_scope="")

    assert {"cpuManagerPolicy", "topologyManagerScope"}.isdisjoint(kubelet_block(strange, strange.version))
