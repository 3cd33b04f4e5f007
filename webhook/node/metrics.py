"""Metrics of the agent: what it finds, how long a look takes, what it could not tell. No series has a pod's name."""

from collections import Counter as Tally
from datetime import datetime
from typing import Final

from prometheus_client import Counter
from prometheus_client import Gauge
from prometheus_client import Histogram

from webhook.domain.verdict import NodeVerdict
from webhook.domain.verdict import Outcome
from webhook.web.process_metrics import ProcessMetrics

CONDITION: Final = "condition"
EVENT: Final = "event"
OBJECT: Final = "object"
WRITES: Final = (CONDITION, EVENT, OBJECT)
"""What is written to the API server."""

_BUCKETS: Final = (0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 15.0)


class Metrics(ProcessMetrics):
    """What the agent counts."""

    def __init__(self, version: str) -> None:
        super().__init__(version, component="agent")
        registry = self.registry
        self._pods = Gauge(
            "numagate_agent_pods",
            "Pods of the node to which something was promised, by what the last look found.",
            ["outcome"],
            registry=registry,
        )
        self._rules = Gauge(
            "numagate_agent_rules",
            "Rules that the last look found broken or could not tell, by the rule's code.",
            ["rule", "outcome"],
            registry=registry,
        )
        self._held_back = Gauge(
            "numagate_agent_held_back_pods",
            "Pods that the condition numagate.io/Aligned keeps from being ready.",
            registry=registry,
        )
        self._forged = Gauge(
            "numagate_agent_forged_promises",
            "Pods whose annotation is not what their spec earns.",
            registry=registry,
        )
        self._faults = Gauge(
            "numagate_agent_node_faults", "1 for what is wrong with the node itself.", ["fault"], registry=registry
        )
        self._unread = Gauge(
            "numagate_agent_unread", "Things of the node that the last look could not read.", registry=registry
        )
        self._looks = Histogram(
            "numagate_agent_look_seconds", "Time of a look at the node.", buckets=_BUCKETS, registry=registry
        )
        self.failures = Counter("numagate_agent_look_failures", "Looks at the node that failed.", registry=registry)
        self._looked = Gauge(
            "numagate_agent_last_look_timestamp_seconds",
            "When the node was last seen, in Unix time.",
            registry=registry,
        )
        self._known_rules: set[tuple[str, str]] = set()
        self._known_faults: set[str] = set()
        for outcome in Outcome:
            self._pods.labels(outcome.value)
        self._count_writes()

    def _count_writes(self) -> None:
        registry = self.registry
        self._writes = Counter("numagate_agent_writes", "Writes to the API server.", ["what"], registry=registry)
        self._write_failures = Counter(
            "numagate_agent_write_failures", "Writes to the API server that failed.", ["what"], registry=registry
        )
        self.left_out = Counter(
            "numagate_agent_events_left_out", "Events that were one too many, and were left out.", registry=registry
        )
        self.restarts = Counter(
            "numagate_agent_watch_restarts", "Watches of the node's pods begun anew by a list.", registry=registry
        )
        self._policies = Gauge(
            "numagate_agent_policies_timestamp_seconds",
            "When the policies were last read, in Unix time; 0 before the first time.",
            registry=registry,
        )
        for what in WRITES:
            self._writes.labels(what)
            self._write_failures.labels(what)

    def looked(self, instant: datetime, *, seconds: float, unread: int) -> None:
        """Count a look that ended at `instant`."""
        self._looks.observe(seconds)
        self._looked.set(instant.timestamp())
        self._unread.set(unread)

    def judged(self, found: NodeVerdict, *, held_back: int) -> None:
        """Show what was found."""
        for outcome in Outcome:
            self._pods.labels(outcome.value).set(found.count(outcome))
        rules = Tally((rule.rule, rule.outcome.value) for one in found.pods for rule in one.rules)
        self._known_rules |= {pair for pair in rules if pair[1] != Outcome.ALIGNED.value}
        for pair in self._known_rules:
            self._rules.labels(*pair).set(rules[pair])
        faults = {fault.code for fault in found.faults}
        self._known_faults |= faults
        for code in self._known_faults:
            self._faults.labels(code).set(code in faults)
        self._forged.set(sum(one.forged for one in found.pods))
        self._held_back.set(held_back)

    def wrote(self, what: str) -> None:
        """Count a write."""
        self._writes.labels(what).inc()

    def failed(self, what: str) -> None:
        """Count a write that failed."""
        self._write_failures.labels(what).inc()

    def policies_read(self, instant: datetime) -> None:
        """Note when the policies were read."""
        self._policies.set(instant.timestamp())
