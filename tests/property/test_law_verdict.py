"""Laws of the verdict: whatever a node shows, there is one, and it follows from its rules."""

from builders import world
from hypothesis import given
from strategies import observations

from webhook.domain.observation import Observation
from webhook.domain.verdict import overall
from webhook.engine.verify import judge


@given(observations())
def test_whatever_a_node_shows_is_judged(seen: Observation) -> None:
    found = judge(seen, world())

    assert len(found.pods) + found.others <= len(seen.pods)
    for verdict in found.pods:
        assert verdict.outcome is overall(rule.outcome for rule in verdict.rules)
        assert all("\n" not in text for rule in verdict.rules for text in (rule.reason, rule.wanted, rule.seen))
