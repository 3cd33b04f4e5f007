"""The agent's metrics: series of a fixed number, gone to 0 when what they counted is over."""

from datetime import UTC
from datetime import datetime

from webhook.domain.verdict import NodeFault
from webhook.domain.verdict import NodeVerdict
from webhook.domain.verdict import Outcome
from webhook.domain.verdict import PodVerdict
from webhook.domain.verdict import RuleVerdict
from webhook.node.metrics import Metrics

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)


def verdict(*outcomes: Outcome, faults: tuple[NodeFault, ...] = ()) -> NodeVerdict:
    """Make the verdict on a node with pods of these outcomes."""
    pods = tuple(
        PodVerdict("a", f"p{number}", "u", one, (RuleVerdict("cpu-quota", None, one, "r", "", ""),), None)
        for number, one in enumerate(outcomes)
    )
    return NodeVerdict("gpu-1", NOON, pods, faults)


def lines(metrics: Metrics, name: str) -> set[str]:
    """Answer the series of a metric."""
    return {line for line in metrics.render().decode().splitlines() if line.startswith(f"{name}{{")}


def test_what_is_over_goes_to_zero() -> None:
    metrics = Metrics("0")
    fault = NodeFault("numa-nodes-over-max", "r", "m")
    metrics.judged(verdict(Outcome.MISALIGNED, Outcome.ALIGNED, faults=(fault,)), held_back=1)
    metrics.judged(verdict(Outcome.ALIGNED), held_back=0)

    assert lines(metrics, "numagate_agent_pods") == {
        'numagate_agent_pods{outcome="aligned"} 1.0',
        'numagate_agent_pods{outcome="misaligned"} 0.0',
        'numagate_agent_pods{outcome="unknown"} 0.0',
    }
    assert lines(metrics, "numagate_agent_rules") == {'numagate_agent_rules{outcome="misaligned",rule="cpu-quota"} 0.0'}
    assert lines(metrics, "numagate_agent_node_faults") == {
        'numagate_agent_node_faults{fault="numa-nodes-over-max"} 0.0'
    }


def test_no_series_has_the_name_of_a_pod() -> None:
    metrics = Metrics("0")
    metrics.judged(verdict(*[Outcome.MISALIGNED] * 110), held_back=110)

    assert "p1" not in metrics.render().decode()
    assert len(lines(metrics, "numagate_agent_rules")) == 1


def test_a_look_is_counted_with_its_time() -> None:
    metrics = Metrics("0")
    metrics.looked(NOON, seconds=0.2, unread=3)
    text = metrics.render().decode()

    (looked,) = [line for line in text.splitlines() if line.startswith("numagate_agent_last_look_timestamp_seconds ")]

    assert float(looked.split()[1]) == NOON.timestamp()
    assert ("numagate_agent_unread 3.0" in text, "numagate_agent_look_seconds_count 1.0" in text) == (True, True)
