"""Metrics: what is counted, under labels from short lists."""

from dataclasses import replace
from datetime import UTC
from datetime import datetime
from datetime import timedelta

import pytest

from webhook.domain.finding import Finding
from webhook.domain.finding import Severity
from webhook.domain.levels import Level
from webhook.domain.levels import Modes
from webhook.engine.decision import Decision
from webhook.engine.decision import Outcome
from webhook.engine.request import Pass
from webhook.server.metrics import Metrics
from webhook.sources.policy_file import load_profile
from webhook.web.common_metrics import BUCKETS

FINDING = Finding(code="fractional-cpu", severity=Severity.FAULT, level=Level.EXCLUSIVE, path=(), message="half a CPU")


@pytest.fixture
def metrics() -> Metrics:
    """Answer fresh metrics."""
    return Metrics("1.2.3")


def value(metrics: Metrics, series: str, /, **labels: str) -> float | None:
    """Answer the value of one series."""
    return metrics.registry.get_sample_value(series, labels)


def test_a_decision_counts_with_its_findings_and_repairs(metrics: Metrics) -> None:
    decision = Decision(
        outcome=Outcome.REPAIR,
        allowed=True,
        findings=(FINDING, FINDING),
        repairs=("fractional-cpu", "missing-memory"),
        modes=Modes(),
    )

    metrics.decided(Pass.MUTATE, decision)

    labels = {"pass": "mutate"}
    assert value(metrics, "numagate_decisions_total", outcome="repair", mode="enforce", **labels) == 1
    assert value(metrics, "numagate_findings_total", code="fractional-cpu", mode="repair", **labels) == 2
    assert value(metrics, "numagate_repairs_total", code="missing-memory") == 1


@pytest.mark.parametrize(
    ("modes", "allowed", "severity", "acted"),
    [
        (Modes(), False, Severity.FAULT, "enforce"),
        (Modes(), False, Severity.WARNING, "warn"),
        (Modes(enforce=Level.NONE), True, Severity.FAULT, "warn"),
        (Modes(enforce=Level.NONE, warn=Level.GUARANTEED), True, Severity.FAULT, "audit"),
        (Modes(enforce=Level.NONE, warn=Level.NONE, audit=Level.NONE), True, Severity.FAULT, "none"),
        (None, True, Severity.FAULT, "none"),
    ],
)
def test_a_finding_counts_by_what_came_of_it(
    metrics: Metrics, modes: Modes | None, allowed: bool, severity: Severity, acted: str
) -> None:
    finding = replace(FINDING, severity=severity)

    metrics.decided(Pass.VALIDATE, Decision(Outcome.WARN, allowed=allowed, findings=(finding,), modes=modes))

    labels = {"pass": "validate", "code": "fractional-cpu", "mode": acted}
    assert value(metrics, "numagate_findings_total", **labels) == 1


def test_a_new_pod_counts_by_the_level_that_it_reaches(metrics: Metrics) -> None:
    metrics.decided(Pass.VALIDATE, Decision(Outcome.ACCEPT, allowed=True, level=Level.ALIGNED))
    metrics.decided(Pass.VALIDATE, Decision(Outcome.SKIP, allowed=True))

    assert value(metrics, "numagate_pods_judged_total", level="aligned") == 1
    assert value(metrics, "numagate_decisions_total", outcome="skip", mode="none", **{"pass": "validate"}) == 1


def test_a_reply_counts_by_status_and_duration(metrics: Metrics) -> None:
    metrics.answered(Pass.VALIDATE.value, 200, 0.03)

    labels = {"pass": "validate"}
    assert value(metrics, "numagate_http_requests_total", status="200", **labels) == 1
    assert value(metrics, "numagate_request_duration_seconds_bucket", le="0.025", **labels) == 0
    assert value(metrics, "numagate_request_duration_seconds_bucket", le="0.1", **labels) == 1


def test_the_buckets_are_the_api_servers() -> None:
    assert BUCKETS == (0.005, 0.025, 0.1, 0.5, 1.0, 2.5, 10.0, 25.0)


def test_only_the_policies_in_force_are_shown(metrics: Metrics) -> None:
    metrics.policies([("default", "one")])
    metrics.policies([("default", "two"), ("other", "three")])

    assert value(metrics, "numagate_policy_info", name="default", generation="one") is None
    assert value(metrics, "numagate_policy_info", name="default", generation="two") == 1
    assert value(metrics, "numagate_policy_info", name="other", generation="three") == 1
    assert value(metrics, "numagate_policies") == 2


def test_node_classes_count_by_whether_they_may_refuse(metrics: Metrics) -> None:
    declared = load_profile("generic-2x4")

    metrics.classes([declared, declared, replace(declared, trusted=False)])

    assert value(metrics, "numagate_node_classes", trust="trusted") == 2
    assert value(metrics, "numagate_node_classes", trust="untrusted") == 1


def test_what_the_process_is_like_is_asked_when_somebody_asks(metrics: Metrics) -> None:
    metrics.ready(lambda: True)
    metrics.port.in_flight(lambda: 3)
    metrics.port.held(lambda: 700)
    metrics.remembered(lambda: 5)

    assert value(metrics, "numagate_ready", component="serve") == 1
    assert value(metrics, "numagate_requests_in_flight") == 3
    assert value(metrics, "numagate_request_held_bytes") == 700
    assert value(metrics, "numagate_decisions_remembered_total") == 5


def test_the_end_of_the_certificate_is_shown_in_unix_time(metrics: Metrics) -> None:
    metrics.certificate(datetime(2030, 1, 1, tzinfo=UTC), timedelta(days=30))

    assert value(metrics, "numagate_certificate_expiry_timestamp_seconds") == 1893456000
    assert value(metrics, "numagate_certificate_lifetime_seconds") == 30 * 86_400


def test_the_text_has_no_series_about_creation_times(metrics: Metrics) -> None:
    metrics.answered(Pass.VALIDATE.value, 200, 0.03)

    text = metrics.render().decode()
    assert 'numagate_build_info{component="serve",version="1.2.3"} 1.0' in text
    assert "_created" not in text


def test_exemptions_that_are_over_are_counted_when_asked(metrics: Metrics) -> None:
    metrics.expired_exemptions(lambda: 2.0)

    assert value(metrics, "numagate_exemptions_expired") == 2


def test_a_use_of_an_exemption_is_counted_by_what_exempts(metrics: Metrics) -> None:
    metrics.decided(Pass.VALIDATE, Decision(Outcome.SKIP, allowed=True, exempt_by="user"))

    assert value(metrics, "numagate_exemptions_used_total", **{"pass": "validate", "by": "user"}) == 1
