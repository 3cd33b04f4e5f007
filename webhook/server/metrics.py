"""Metrics of the service: decisions, findings, repairs, the policy in force."""

from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Iterator
from itertools import islice
from typing import Final

from prometheus_client import Counter
from prometheus_client import Gauge
from prometheus_client.core import CounterMetricFamily
from prometheus_client.registry import Collector

from webhook.domain.finding import Finding
from webhook.domain.finding import Severity
from webhook.domain.topology import NodeClass
from webhook.engine.decision import Decision
from webhook.engine.request import Pass
from webhook.web.common_metrics import CommonMetrics

MOST_POLICIES: Final = 50
"""Policies that are shown by name, in the order in which they are asked; their number is shown beside."""


class Metrics(CommonMetrics):
    """What the service counts.

    A series is looked up by its labels once and kept: the lookup takes longer than to count, and decisions are many.
    """

    def __init__(self, version: str) -> None:
        super().__init__(version, component="serve")
        registry = self.registry
        self._decisions = _Series(
            Counter(
                "numagate_decisions",
                "Decisions by pass and outcome, and by the strongest mode that was on.",
                ["pass", "outcome", "mode"],
                registry=registry,
            )
        )
        self._judged = _Series(
            Counter(
                "numagate_pods_judged", "New pods that were judged, by level reached.", ["level"], registry=registry
            )
        )
        self._findings = _Series(
            Counter(
                "numagate_findings",
                "Findings by code, and by what came of them: enforce (refused), warn, audit (recorded only), none; "
                "repair in the mutating pass.",
                ["pass", "code", "mode"],
                registry=registry,
            )
        )
        self._repairs = _Series(Counter("numagate_repairs", "Edits made, by code.", ["code"], registry=registry))
        self._exempt = _Series(
            Counter(
                "numagate_exemptions_used", "Requests that were exempt, by what.", ["pass", "by"], registry=registry
            )
        )
        self._remembered = _Remembered()
        registry.register(self._remembered)
        self._describe_world()

    def _describe_world(self) -> None:
        registry = self.registry
        self._policy = Gauge(
            "numagate_policy_info",
            f"The first {MOST_POLICIES} policies in force; the value is 1.",
            ["name", "generation"],
            registry=registry,
        )
        self._policies = Gauge("numagate_policies", "How many policies are in force.", registry=registry)
        self._classes = Gauge(
            "numagate_node_classes",
            "Node classes that decisions go by: trusted ones may refuse pods.",
            ["trust"],
            registry=registry,
        )
        self.policy_failures = Counter(
            "numagate_policy_reload_failures", "Policy contents that could not be loaded.", registry=registry
        )
        self.policy_ok = Gauge(
            "numagate_policy_last_reload_successful",
            "1 if the newest policy or snapshot is what decisions go by.",
            registry=registry,
        )
        self.world_failures = Counter(
            "numagate_world_watch_failures", "Tries to read or watch the world snapshot that failed.", registry=registry
        )
        self._age = Gauge(
            "numagate_world_age_seconds", "Age of the world snapshot in force, NaN without one.", registry=registry
        )
        self._expired = Gauge(
            "numagate_exemptions_expired", "Exemptions of the policies in force whose time is over.", registry=registry
        )

    def expired_exemptions(self, count: Callable[[], float]) -> None:
        """Show how many exemptions are over; asked when somebody asks."""
        self._expired.set_function(count)

    def world_age(self, age: Callable[[], float]) -> None:
        """Show the age of the world snapshot; asked when somebody asks."""
        self._age.set_function(age)

    def remembered(self, count: Callable[[], float]) -> None:
        """Show how many decisions were remembered and not made anew; asked when somebody asks."""
        self._remembered.count = count

    def decided(self, review_pass: Pass, decision: Decision) -> None:
        """Count a decision with its findings and repairs."""
        word = review_pass.value
        mode = decision.modes.strongest if decision.modes else "none"
        self._decisions.inc(word, decision.outcome.value, mode)
        if decision.level is not None:
            self._judged.inc(str(decision.level))
        for finding in decision.findings:
            acted = "repair" if review_pass is Pass.MUTATE else _acted(finding, decision)
            self._findings.inc(word, finding.code, acted)
        for code in decision.repairs:
            self._repairs.inc(code)
        if decision.exempt_by:
            self._exempt.inc(word, decision.exempt_by)

    def policies(self, named: Iterable[tuple[str, str]]) -> None:
        """Show the policies in force by name and generation; those before disappear."""
        all_of_them = tuple(named)
        self._policy.clear()
        for name, generation in islice(all_of_them, MOST_POLICIES):
            self._policy.labels(name, generation).set(1)
        self._policies.set(len(all_of_them))

    def classes(self, classes: Iterable[NodeClass]) -> None:
        """Show how many node classes there are."""
        trusted = [one.trusted for one in classes]
        self._classes.labels("trusted").set(sum(trusted))
        self._classes.labels("untrusted").set(len(trusted) - sum(trusted))


class _Series:
    """The series of one counter, kept by their labels."""

    def __init__(self, counter: Counter) -> None:
        self._counter = counter
        self._known: dict[tuple[str, ...], Counter] = {}

    def inc(self, *labels: str) -> None:
        """Count one."""
        known = self._known.get(labels)
        if known is None:
            known = self._known[labels] = self._counter.labels(*labels)
        known.inc()


class _Remembered(Collector):
    """A counter that somebody else keeps."""

    def __init__(self) -> None:
        self.count: Callable[[], float] = lambda: 0.0

    def collect(self) -> Iterator[CounterMetricFamily]:
        """Answer it."""
        text = "Decisions on new pods that had been made before, for a pod that asks the same."
        yield CounterMetricFamily("numagate_decisions_remembered", text, value=self.count())


def _acted(finding: Finding, decision: Decision) -> str:
    """Answer the mode by which something came of a finding, in the validating pass."""
    modes = decision.modes
    if modes is None:
        return "none"
    if not decision.allowed and finding.severity is not Severity.WARNING:
        return "enforce"
    if finding.level <= modes.warn:
        return "warn"
    return "audit" if finding.level <= modes.audit else "none"
