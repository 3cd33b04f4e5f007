"""How old data is said to be, and what agents add."""

from datetime import UTC
from datetime import datetime

import pytest
from nodeobjects import agent_report
from nodeobjects import rte_report

from webhook.cli.topology.as_text import footer
from webhook.sources.inventory.reduce import reduce_alignment
from webhook.sources.inventory.reduce import reduce_nrt
from webhook.sources.inventory.store import Inventory

NOW = datetime(2026, 11, 30, 3, 0, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("seen", "age"),
    [
        ("2026-11-30T02:59:30Z", "as of 30 seconds ago"),
        ("2026-11-30T02:59:00.5Z", "as of 59 seconds ago"),
        ("2026-11-30T02:50:00Z", "as of 10 minutes ago"),
        ("2026-11-29T22:59:00Z", "as of 4 hours ago"),
        ("2026-11-01T03:00:00Z", "as of 29 days ago"),
        ("2026-11-30T03:00:09Z", "as of 0 seconds ago"),
        ("lately", "of unknown age"),
        ("2026-11-30T02:00:00", "of unknown age"),
    ],
)
def test_the_age_of_what_is_free_is_told_in_the_largest_unit(seen: str, age: str) -> None:
    inventory = Inventory()
    inventory.put(reduce_nrt(rte_report(), seen=seen))
    lines = footer(inventory.survey(), verbose=True, instant=NOW)

    assert f"  free on one NUMA node, {age}:" in lines


def test_a_class_that_agents_tell_of_says_that_pods_are_verified_and_what_is_not_set() -> None:
    inventory = Inventory()
    inventory.put(reduce_alignment(agent_report(seen="2026-11-30T02:59:00Z")))
    lines = list(footer(inventory.survey(now=NOW), verbose=True, instant=NOW))

    assert "  verified: yes, numagate's agents were heard lately on all its nodes" in lines
    assert any(line.split() == ["kubelet.featureGates", "NodeAlignment", "none"] for line in lines)
    assert any(line.split()[:3] == ["numa", "NodeAlignment", "2"] for line in lines)
