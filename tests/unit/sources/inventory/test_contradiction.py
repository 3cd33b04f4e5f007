"""A report that contradicts itself or its own Node is not trusted, however many nodes say the same."""

from collections.abc import Sequence
from typing import Any

import pytest
from inventories import survey_of
from nodeobjects import GIB
from nodeobjects import RESERVED
from nodeobjects import Object
from nodeobjects import agent_report
from nodeobjects import node
from nodeobjects import profile
from nodeobjects import rte_report
from nodeobjects import zone
from nodeobjects import zone_row

from webhook.sources.inventory.survey import SurveyedClass

TYPE = {"node.kubernetes.io/instance-type": "weird.8x"}
HONEST = (zone(0, nvidia=4), zone(1, nvidia=4))


def pool(zones: Sequence[Object] = HONEST, *, count: int = 3, first: int = 0, **capacity: int) -> list[Object]:
    """Write so many Nodes of 192 CPUs and 2 TiB, and the same report about each."""
    sizes = {"cpu": 192, "memory": 2048 * GIB, "gpus": 8, **capacity}
    names = [f"node-{number}" for number in range(first, first + count)]
    return [*(node(name, labels=TYPE, **sizes) for name in names), *(rte_report(name, zones) for name in names)]


def only(objects: Sequence[Object]) -> SurveyedClass:
    """Answer the one class of the objects."""
    (found,) = survey_of(objects).classes
    return found


def test_a_report_that_adds_up_to_its_node_is_trusted() -> None:
    assert only(pool()).distrust == ""


def test_a_report_of_almost_nothing_is_not_trusted_on_a_large_node() -> None:
    found = only(pool([zone(0, of=1, cpus=(1, 1, 1), memory=(1, 1, 1), nvidia=8)]))

    assert found.document["trusted"] is False
    assert found.distrust == (
        "NodeResourceTopology: conflict with the Node: 1 CPUs in all zones, 192 in its capacity; "
        "NodeResourceTopology: conflict with the Node: 0 GiB of memory in all zones, 2048 in its capacity"
    )


@pytest.mark.parametrize(("cpus", "trusted"), [(192, True), (191, False), (193, False), (0, True)])
def test_the_cpus_of_all_zones_are_those_of_the_node(cpus: int, *, trusted: bool) -> None:
    assert only(pool(cpu=cpus)).document["trusted"] is trusted


@pytest.mark.parametrize(("gib", "trusted"), [(1820, False), (1821, True), (2340, True), (2341, False), (0, True)])
def test_the_memory_of_all_zones_is_that_of_the_node_but_for_an_eighth(gib: int, *, trusted: bool) -> None:
    assert only(pool(memory=gib * GIB)).document["trusted"] is trusted


def test_a_report_without_memory_contradicts_no_node() -> None:
    assert only(pool([zone(0, memory=None, nvidia=4), zone(1, memory=None, nvidia=4)])).distrust == ""


def test_huge_pages_are_in_the_memory_of_the_zone_and_of_the_node() -> None:
    zones = []
    for number in (0, 1):
        written = zone(number, memory=(1024 * GIB, 512 * GIB - RESERVED, 0), nvidia=4)
        written["resources"].append(zone_row("hugepages-1Gi", 512 * GIB, 512 * GIB, 0))
        zones.append(written)

    assert only(pool(zones)).distrust == ""


def test_a_zone_that_is_written_twice_is_doubted() -> None:
    found = only(pool([zone(0, of=1, cpus=(192, 190, 190), memory=(2048 * GIB,) * 3, nvidia=8), zone(0, of=1)]))

    assert found.distrust == "NodeResourceTopology: zone node-0 is written twice"
    assert found.problems == ("NodeResourceTopology: zone node-0 is written twice",)


@pytest.mark.parametrize(
    ("row", "doubt"),
    [
        (zone_row("nvidia.com/gpu", 3, 4, 4), "more nvidia.com/gpu is allocatable than there is"),
        (zone_row("nvidia.com/nic", -1, 4, 4), "what is said of nvidia.com/nic is no amount: left out"),
        (zone_row("cpu", 96, 94, 94), "cpu is written twice"),
    ],
)
def test_a_zone_that_says_two_things_is_doubted(row: Object, doubt: str) -> None:
    first = zone(0)
    first["resources"].append(row)
    found = only(pool([first, zone(1, nvidia=8)]))

    assert found.distrust == f"NodeResourceTopology: zone node-0: {doubt}"


def test_a_zone_of_more_cpus_than_any_machine_has_is_no_zone_without_cpus() -> None:
    found = only(pool([zone(0, nvidia=4), zone(1, cpus=(1 << 40, 1, 1), nvidia=4)], cpu=96))

    assert found.distrust == "NodeResourceTopology: zone node-1: more CPUs than any machine has"


def test_a_node_that_contradicts_itself_spoils_no_class_of_others_and_confirms_none() -> None:
    liars = pool(cpu=96, first=10)
    spoiled = survey_of([*pool(), *liars]).classes
    alone = survey_of([*pool(count=2), *liars]).classes

    assert sorted((one.document["nodes"], one.document["trusted"]) for one in spoiled) == [(3, False), (3, True)]
    assert sorted(one.document["nodes"] for one in alone if one.document["trusted"]) == []


AGENTS = "NodeAlignment: conflict with the Node: "


def with_agents(
    count: int = 3, *, version: str = "1.36", told: tuple[int, int] | None = (1, 36), **capacity: int
) -> list[Object]:
    """Write so many Nodes of 192 CPUs and 2 TiB, and what the agent of each wrote, of a kubelet `told` so."""
    sizes = {"cpu": 192, "memory": 2048 * GIB, "gpus": 8, **capacity}
    nodes = [node(f"node-{number}", labels=TYPE, **sizes) for number in range(count)]
    for one in nodes:
        one["status"]["nodeInfo"]["kubeletVersion"] = f"v{version}.0"
    return [*nodes, *(agent_report(one["metadata"]["name"], version=told) for one in nodes)]


def test_what_agents_wrote_is_trusted_where_it_adds_up_to_their_nodes() -> None:
    assert only(with_agents()).distrust == ""


@pytest.mark.parametrize("version", ["1.34", "1.37"])
def test_an_agent_that_does_not_know_the_kubelets_version_contradicts_none(version: str) -> None:
    found = only(with_agents(version=version, told=None))

    assert (found.document["trusted"], found.distrust) == (True, "")
    assert found.document["spec"]["kubelet"]["version"] == version


@pytest.mark.parametrize(
    ("changes", "doubt"),
    [
        ({"cpu": 128}, "192 CPUs on all NUMA nodes, 128 in its capacity"),
        ({"memory": 1024 * GIB}, "2048 GiB of memory on all NUMA nodes, 1024 in its capacity"),
        ({"version": "1.37"}, "settings of a kubelet 1.36, and 1.37 runs"),
    ],
)
def test_an_agent_that_contradicts_its_node_is_not_believed(changes: dict[str, Any], doubt: str) -> None:
    found = only(with_agents(**changes))

    assert (found.document["trusted"], found.distrust) == (False, AGENTS + doubt)


def test_nodes_of_other_sizes_beside_it_do_not_make_a_report_doubtful() -> None:
    small = [zone(number, memory=(512 * GIB, 500 * GIB, 0), nvidia=4) for number in (0, 1)]
    found = survey_of([*pool(), *pool(small, memory=1024 * GIB, first=10)]).classes

    assert [one.distrust for one in found] == ["", ""]


def test_what_a_profile_tells_in_its_place_is_not_doubted() -> None:
    whole = profile("ours", TYPE, machine="aws-p5-48xlarge")
    found = only([*pool([zone(0, of=1, cpus=(1, 1, 1), nvidia=8)]), whole])

    assert (found.document["name"], found.distrust) == ("ours", "")


def test_ten_thousand_bad_zones_are_told_in_a_few_words() -> None:
    zones = [{"name": f"numa-{number}{'x' * 1000}", "type": "Node"} for number in range(10_000)]
    (found,) = survey_of([node(), rte_report("node-a", zones)]).unknown

    assert len(found.reason) < 1000
    assert found.reason.endswith("+9997 more")
