"""The table of what each kubelet version knows."""

from itertools import pairwise

from webhook.domain.kubelet_configuration.known import ALPHA
from webhook.domain.kubelet_configuration.known import BETA
from webhook.domain.kubelet_configuration.known import Gate
from webhook.sources.kubelet_versions import load_known


def test_older_versions_differ_from_newer_ones_in_what_was_written_about_them() -> None:
    known = {minor: load_known((1, minor)) for minor in (34, 35, 36, 37)}

    assert all(older.gates != newer.gates for older, newer in pairwise(known.values()))
    assert {minor: one.gates.get("PodLevelResourceManagers") for minor, one in known.items()} == {
        34: None,
        35: None,
        36: Gate(ALPHA, on=False, needs=("PodLevelResources",)),
        37: Gate(BETA, on=False, needs=("PodLevelResources",)),
    }
    assert known[37].fields["reservedSystemCPUs"] == known[34].fields["reservedSystemCPUs"] == "text"


def test_a_version_that_is_not_in_the_table_is_taken_for_the_nearest_one() -> None:
    newer, older = load_known((1, 99)), load_known((1, 20))

    assert (newer.gates, newer.exact, newer.version) == (load_known((1, 37)).gates, False, (1, 99))
    assert (older.gates, older.exact) == (load_known((1, 34)).gates, False)


def test_all_gates_of_a_stage_are_set_but_for_those_that_are_written() -> None:
    known = load_known((1, 37))
    beta = {name for name, gate in known.gates.items() if gate.stage == BETA and name != "AllBeta"}

    found = known.in_force({"AllBeta": False, "PodLevelResources": True})

    assert found == {**dict.fromkeys(beta, False), "PodLevelResources": True}
