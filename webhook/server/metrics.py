"""Metrics of the service: decisions, findings, repairs, the policy in force."""

from collections.abc import Callable
from collections.abc import Iterable

from prometheus_client import Counter
from prometheus_client import Gauge

from webhook.engine.decision import Decision
from webhook.engine.request import Pass
from webhook.web.common_metrics import CommonMetrics


class Metrics(CommonMetrics):
    """What the service counts."""

    def __init__(self, version: str) -> None:
        super().__init__(version)
        registry = self.registry
        self._decisions = Counter(
            "numagate_decisions", "Decisions by pass and outcome.", ["pass", "outcome"], registry=registry
        )
        self._findings = Counter("numagate_findings", "Findings by code.", ["pass", "code"], registry=registry)
        self._repairs = Counter("numagate_repairs", "Edits made, by code.", ["code"], registry=registry)
        self._exempt = Counter(
            "numagate_exemptions_used", "Requests that were exempt, by what.", ["pass", "by"], registry=registry
        )
        self._policy = Gauge(
            "numagate_policy_info", "The policies in force; the value is 1.", ["name", "generation"], registry=registry
        )
        self.policy_failures = Counter(
            "numagate_policy_reload_failures", "Policy contents that could not be loaded.", registry=registry
        )
        self.policy_ok = Gauge(
            "numagate_policy_last_reload_successful",
            "1 if the policy files are the policy in force.",
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

    def decided(self, review_pass: Pass, decision: Decision) -> None:
        """Count a decision with its findings and repairs."""
        word = review_pass.value
        self._decisions.labels(word, decision.outcome.value).inc()
        for finding in decision.findings:
            self._findings.labels(word, finding.code).inc()
        for code in decision.repairs:
            self._repairs.labels(code).inc()
        if decision.exempt_by:
            self._exempt.labels(word, decision.exempt_by).inc()

    def policies(self, named: Iterable[tuple[str, str]]) -> None:
        """Show the policies in force by name and generation; those before disappear."""
        self._policy.clear()
        for name, generation in named:
            self._policy.labels(name, generation).set(1)
