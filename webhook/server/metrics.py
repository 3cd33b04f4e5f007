"""Metrics in a registry of their own; every label takes its values from a short fixed list."""

from collections.abc import Iterable
from datetime import datetime

from prometheus_client import CollectorRegistry
from prometheus_client import Counter
from prometheus_client import Gauge
from prometheus_client import Histogram
from prometheus_client import ProcessCollector
from prometheus_client import disable_created_metrics
from prometheus_client import generate_latest
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4

from webhook.engine.decision import Decision
from webhook.engine.request import Pass

CONTENT_TYPE = CONTENT_TYPE_PLAIN_0_0_4

BUCKETS = (0.005, 0.025, 0.1, 0.5, 1.0, 2.5, 10.0, 25.0)
"""Those of apiserver_admission_webhook_admission_duration_seconds, so that both sides can be laid over each other."""


class Metrics:
    """What the service counts."""

    def __init__(self, version: str) -> None:
        disable_created_metrics()  # type: ignore[no-untyped-call]  # prometheus-client has no annotation there
        self.registry = registry = CollectorRegistry(auto_describe=True)
        ProcessCollector(registry=registry)
        Gauge("numagate_build_info", "The running version.", ["version"], registry=registry).labels(version).set(1)
        self._decisions = Counter(
            "numagate_decisions", "Decisions by pass and outcome.", ["pass", "outcome"], registry=registry
        )
        self._findings = Counter("numagate_findings", "Findings by code.", ["pass", "code"], registry=registry)
        self._repairs = Counter("numagate_repairs", "Edits made, by code.", ["code"], registry=registry)
        self._exempt = Counter(
            "numagate_exemptions_used", "Requests that were exempt, by what.", ["pass", "by"], registry=registry
        )
        self._requests = Counter(
            "numagate_http_requests",
            "Admission requests by pass and HTTP status.",
            ["pass", "status"],
            registry=registry,
        )
        self._duration = Histogram(
            "numagate_request_duration_seconds",
            "Time from the first byte of an admission request to its reply.",
            ["pass"],
            buckets=BUCKETS,
            registry=registry,
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
        self.certificate_failures = Counter(
            "numagate_certificate_reload_failures", "Certificate contents that were refused.", registry=registry
        )
        self.certificate_ok = Gauge(
            "numagate_certificate_last_reload_successful",
            "1 if the certificate files are the certificate served.",
            registry=registry,
        )
        self._expiry = Gauge(
            "numagate_certificate_expiry_timestamp_seconds",
            "When the served certificate ends, in Unix time.",
            registry=registry,
        )

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

    def answered(self, review_pass: Pass, status: int, seconds: float) -> None:
        """Count a reply."""
        word = review_pass.value
        self._requests.labels(word, str(status)).inc()
        self._duration.labels(word).observe(seconds)

    def policies(self, named: Iterable[tuple[str, str]]) -> None:
        """Show the policies in force by name and generation; those before disappear."""
        self._policy.clear()
        for name, generation in named:
            self._policy.labels(name, generation).set(1)

    def certificate(self, not_after: datetime) -> None:
        """Show the end of the served certificate."""
        self._expiry.set(not_after.timestamp())

    def render(self) -> bytes:
        """Write all metrics in the text format."""
        return generate_latest(self.registry)
