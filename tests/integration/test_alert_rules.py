"""Every alert fires on what it is for, alone, and none fires while all is well: decided by Prometheus' own promtool."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import metrictable
import pytest
from promtool import Case
from promtool import Promtool

from webhook.controller.metrics import Metrics as ControllerMetrics
from webhook.manifests.monitoring.alert import Alert
from webhook.manifests.monitoring.panels import ROWS
from webhook.manifests.monitoring.rules import GROUPS
from webhook.manifests.monitoring.rules import rules
from webhook.node.metrics import Metrics as AgentMetrics
from webhook.server.metrics import Metrics as ServiceMetrics

OPERATIONS = (Path(__file__).parents[2] / "docs" / "operations.md").read_text(encoding="utf-8")
ALERTS: Final = {alert.name: alert for alerts in GROUPS.values() for alert in alerts}
API_SERVER: Final = {
    "apiserver_admission_webhook_rejection_count",
    "apiserver_admission_webhook_fail_open_count",
    "apiserver_admission_webhook_admission_duration_seconds_bucket",
    "apiserver_admission_match_condition_evaluation_errors_total",
}
"""What the API server itself counts; `test_alert_drill.py` looks into a real one for them."""
PROCESS: Final = {"process_resident_memory_bytes", "process_cpu_seconds_total", "process_open_fds"}

ERROR: Final = ',error_type="calling_webhook_error"'
POD: Final = 'job="numagate-system/numagate",instance="10.0.0.{}:8081"'
HOOK: Final = 'name="pods.validate.numagate.io",type="validating"'
DAYS: Final = 86_400
LONG: Final = "END"
"""Stands for the end of the case, so that no more is written than it needs."""
LATE: Final = 1500
"""Over a day, which one rule looks back."""


def pods(metric: str, values: str, labels: str = "", count: int = 3) -> dict[str, str]:
    """Give a metric the same values on every replica."""
    more = f",{labels}" if labels else ""
    return {f"{metric}{{{POD.format(number)}{more}}}": values for number in range(1, count + 1)}


def one(metric: str, values: str, labels: str = "") -> dict[str, str]:
    """Give a metric of the first replica values."""
    return pods(metric, values, labels, 1)


def nodes(metric: str, values: str, labels: str = "", count: int = 2) -> dict[str, str]:
    """Give a metric the same values on every agent."""
    more = f",{labels}" if labels else ""
    return {f'{metric}{{instance="10.0.1.{number}:8081"{more}}}': values for number in range(1, count + 1)}


def a_node(metric: str, values: str, labels: str = "") -> dict[str, str]:
    """Give a metric of the first agent values."""
    return nodes(metric, values, labels, 1)


def flat(value: float) -> str:
    """Answer a value that stays."""
    return f"{value}+0x{LONG}"


def bucket(seconds: str, values: str) -> dict[str, str]:
    """Give a bucket of the API server's histogram values."""
    return {f'apiserver_admission_webhook_admission_duration_seconds_bucket{{{HOOK},le="{seconds}"}}': values}


def lag(bound: str, values: str) -> dict[str, str]:
    """Give a bucket of the first replica's lag values."""
    return one("numagate_event_loop_lag_seconds_bucket", values, f'le="{bound}"')


def failed(metric: str, values: str, labels: str = "") -> dict[str, str]:
    """Give a counter of the API server for one of our entries values."""
    return {f"{metric}{{{HOOK}{labels}}}": values}


HEALTHY: Final = {
    **pods("numagate_build_info", flat(1), 'component="serve",version="1"'),
    **pods("numagate_ready", flat(1), 'component="serve"'),
    **pods("numagate_certificate_expiry_timestamp_seconds", flat(90 * DAYS)),
    **pods("numagate_certificate_lifetime_seconds", flat(365 * DAYS)),
    **pods("numagate_certificate_last_reload_successful", flat(1)),
    **pods("numagate_policy_last_reload_successful", flat(1)),
    **pods("numagate_policy_info", flat(1), 'name="default",generation="a"'),
    **pods("numagate_world_age_seconds", flat(30)),
    **pods("numagate_exemptions_expired", flat(0)),
    **pods("numagate_http_requests_total", f"0+60x{LONG}", 'pass="validate",status="200"'),
    **pods("numagate_decisions_total", f"0+60x{LONG}", 'pass="validate",outcome="accept",mode="enforce"'),
    **pods("numagate_decisions_total", f"0+0.1x{LONG}", 'pass="validate",outcome="deny",mode="enforce"'),
    'numagate_build_info{instance="10.0.0.8:8081",component="controller",version="1"}': flat(1),
    'numagate_ready{instance="10.0.0.8:8081",component="controller"}': flat(1),
    'numagate_controller_leader{instance="10.0.0.8:8081"}': flat(1),
    'numagate_controller_leader{instance="10.0.0.9:8081"}': flat(0),
    'numagate_controller_invalid_objects{instance="10.0.0.8:8081",kind="AlignmentPolicy"}': flat(0),
    'numagate_webhook_configuration_drift{instance="10.0.0.8:8081",configuration="mutating",what="fields"}': flat(0),
    'numagate_world_write_failures_total{instance="10.0.0.8:8081"}': flat(2),
    **nodes("numagate_agent_pods", flat(3), 'outcome="aligned"'),
    **nodes("numagate_agent_pods", flat(0), 'outcome="misaligned"'),
    **nodes("numagate_agent_pods", flat(1), 'outcome="unknown"'),
    **nodes("numagate_agent_held_back_pods", flat(0)),
    **nodes("numagate_agent_forged_promises", flat(0)),
    **nodes("numagate_agent_node_faults", flat(0), 'fault="numa-nodes-over-max"'),
    **nodes("numagate_agent_last_look_timestamp_seconds", f"0+60x{LONG}"),
    **nodes("numagate_agent_write_failures_total", flat(7), 'what="condition"'),
    **lag("0.5", f"0+600x{LONG}"),
    **lag("1", f"0+600x{LONG}"),
    **lag("+Inf", f"0+600x{LONG}"),
    **bucket("0.1", f"0+180x{LONG}"),
    **bucket("1", f"0+180x{LONG}"),
    **bucket("2.5", f"0+180x{LONG}"),
    **bucket("+Inf", f"0+180x{LONG}"),
    **failed("apiserver_admission_webhook_rejection_count", flat(3), ERROR),
    **failed("apiserver_admission_webhook_rejection_count", f"0+1x{LONG}", ',error_type="no_error"'),
    f'apiserver_admission_webhook_rejection_count{{name="other.example"{ERROR}}}': f"0+1x{LONG}",
    'apiserver_admission_webhook_fail_open_count{name="other.example"}': f"0+1x{LONG}",
}
"""A cluster where all is well, though there was trouble long ago and others have some now."""


def case(name: str, *firing: str, at: int = 60, without: str = "", **changes: dict[str, str]) -> Case:
    """Change the healthy cluster; series whose name matches `without` are not there."""
    kept = {key: value for key, value in HEALTHY.items() if not (without and re.search(without, key))}
    changed = {key: value for change in changes.values() for key, value in change.items()}
    until = {key: values.replace(f"x{LONG}", f"x{at}") for key, values in {**kept, **changed}.items()}
    return Case(name, until, at, frozenset(firing), every=5 if at == LATE else 1)


def from_minute(minute: int, before: float, after: float) -> str:
    """Answer a value that changes once."""
    return f"{before}+0x{minute - 1} {after}+0x{LONG}"


REJECTED: Final = "apiserver_admission_webhook_rejection_count"
DENY: Final = 'pass="validate",outcome="deny",mode="enforce"'
DRIFT: Final = 'numagate_webhook_configuration_drift{instance="10.0.0.8:8081",configuration="mutating",what="fields"}'
STEP_FAILURES: Final = 'numagate_certificate_step_failures_total{instance="10.0.0.8:8081"}'
MISALIGNED: Final = 'outcome="misaligned"'
NEW: Final = f"_x58 1+0x{LONG}"
"""A counter that is not there until minute 59."""

CASES: Final = (
    case("all is well"),
    case("all is well after a day", at=LATE),
    case("a call fails", "NumagateCallsFail", a=failed(REJECTED, from_minute(58, 3, 4), ERROR)),
    case("a call fails for the first time", "NumagateCallsFail", a=failed(REJECTED, NEW, ERROR)),
    case("a call failed half an hour ago", a=failed(REJECTED, from_minute(30, 3, 4), ERROR)),
    case("a call fails open", "NumagateFailsOpen", a=failed("apiserver_admission_webhook_fail_open_count", NEW)),
    case(
        "two calls in a hundred take two seconds",
        "NumagateSlow",
        a=bucket("0.1", f"0+176x{LONG}"),
        b=bucket("1", f"0+176x{LONG}"),
    ),
    case("one call in a thousand takes two seconds", a=bucket("1", f"0+179.9x{LONG}")),
    case(
        "calls are slow for three minutes only",
        a=bucket("0.1", f"0+180x57 10260+0x{LONG}"),
        b=bucket("1", f"0+180x57 10260+0x{LONG}"),
    ),
    case(
        "a condition fails for the first time",
        "NumagateConditionErrors",
        a=failed("apiserver_admission_match_condition_evaluation_errors_total", NEW),
    ),
    case("two replicas of three are ready", a=one("numagate_ready", flat(0), 'component="serve"')),
    case("one replica is ready", "NumagateReplicasMissing", a=pods("numagate_ready", flat(0), 'component="serve"', 2)),
    case("one replica was ready for a moment", a=pods("numagate_ready", from_minute(57, 1, 0), 'component="serve"', 2)),
    case("no replica is scraped", "NumagateReplicasMissing", without="numagate_"),
    case(
        "a certificate ends in 13 days",
        "NumagateCertificateExpires",
        a=one("numagate_certificate_expiry_timestamp_seconds", flat(13 * DAYS)),
    ),
    case(
        "a certificate of 30 days that is renewed by itself has 9 days left",
        a=one("numagate_certificate_expiry_timestamp_seconds", flat(9 * DAYS)),
        b=one("numagate_certificate_lifetime_seconds", flat(30 * DAYS)),
    ),
    case(
        "a certificate of 30 days was not renewed",
        "NumagateCertificateExpires",
        a=one("numagate_certificate_expiry_timestamp_seconds", flat(7 * DAYS)),
        b=one("numagate_certificate_lifetime_seconds", flat(30 * DAYS)),
    ),
    case("a certificate ends in 15 days", a=one("numagate_certificate_expiry_timestamp_seconds", flat(15 * DAYS))),
    case(
        "a certificate is refused",
        "NumagateCertificateRefused",
        a=one("numagate_certificate_last_reload_successful", flat(0)),
    ),
    case(
        "the API server's certificate ends in 13 days",
        "NumagateClientCertificateExpires",
        a=one("numagate_client_certificate_expiry_timestamp_seconds", flat(13 * DAYS)),
    ),
    case(
        "the CA of clients ends in 13 days",
        "NumagateClientCertificateExpires",
        a=one("numagate_client_ca_expiry_timestamp_seconds", flat(13 * DAYS)),
    ),
    case(
        "nobody has shown a certificate yet, and the CA lasts",
        a=pods("numagate_client_certificate_expiry_timestamp_seconds", flat(0)),
        b=pods("numagate_client_ca_expiry_timestamp_seconds", flat(300 * DAYS)),
    ),
    case("a policy is refused", "NumagatePolicyRefused", a=one("numagate_policy_last_reload_successful", flat(0))),
    case("a policy was refused for a moment", a=one("numagate_policy_last_reload_successful", from_minute(57, 1, 0))),
    case(
        "one replica has an older policy",
        "NumagateReplicasDisagree",
        without=r"policy_info\{.*0[.]1:",
        a=one("numagate_policy_info", flat(1), 'name="default",generation="b"'),
    ),
    case("one replica lacks a policy", "NumagateReplicasDisagree", without=r"policy_info\{.*0[.]1:"),
    case(
        "requests are sent away",
        "NumagateOverloaded",
        a=one("numagate_http_requests_total", f"0+1x{LONG}", 'pass="validate",status="429"'),
    ),
    case(
        "requests were sent away once",
        a=one("numagate_http_requests_total", from_minute(58, 3, 9), 'pass="validate",status="429"'),
    ),
    case("a replica is stalled", "NumagateEventLoopLag", a=lag("0.5", f"0+590x{LONG}")),
    case("a replica is late now and then", a=lag("0.5", f"0+599x{LONG}")),
    case(
        "a request meets a bug",
        "NumagateFailsOnRequests",
        a=one("numagate_http_requests_total", NEW, 'pass="validate",status="500"'),
    ),
    case(
        "denials rise fivefold and more",
        "NumagateRefusalsSpike",
        at=LATE,
        a=pods("numagate_decisions_total", f"0+0.1x1480 148+5x{LONG}", DENY),
    ),
    case("denials rise, but are few", at=LATE, a=one("numagate_decisions_total", f"0+0.1x1480 148+1x{LONG}", DENY)),
    case("denials are many every day", at=LATE, a=pods("numagate_decisions_total", f"0+5x{LONG}", DENY)),
    case(
        "the first denials are many",
        "NumagateRefusalsSpike",
        without="outcome=.deny",
        a=pods("numagate_decisions_total", f"_x30 0+5x{LONG}", DENY),
    ),
    case("an exemption is over", "NumagateExemptionExpired", a=one("numagate_exemptions_expired", flat(1))),
    case("the world is old", "NumagateWorldStale", a=one("numagate_world_age_seconds", f"0+60x{LONG}")),
    case("there is no leader", "NumagateNoLeader", a={'numagate_controller_leader{instance="10.0.0.8:8081"}': flat(0)}),
    case("there is no controller", "NumagateNoLeader", without="controller"),
    case("the policy is a file", without="controller", a=pods("numagate_world_age_seconds", f"NaN+0x{LONG}")),
    case("the leader changes", a={'numagate_controller_leader{instance="10.0.0.8:8081"}': from_minute(57, 1, 0)}),
    case(
        "the world cannot be written",
        "NumagateWorldNotWritten",
        a={'numagate_world_write_failures_total{instance="10.0.0.8:8081"}': f"0+1x{LONG}"},
    ),
    case(
        "a policy object is wrong",
        "NumagateObjectInvalid",
        a={'numagate_controller_invalid_objects{instance="10.0.0.8:8081",kind="AlignmentPolicy"}': flat(1)},
    ),
    case(
        "every look at the certificates fails",
        "NumagateCertificatesUnattended",
        a={STEP_FAILURES: f"0+6x{LONG}"},
    ),
    case("a write of the certificates came second", a={STEP_FAILURES: from_minute(50, 0, 2)}),
    case("a configuration drifts", "NumagateConfigurationDrift", a={DRIFT: flat(2)}),
    case("a configuration drifted for a moment", a={DRIFT: from_minute(55, 0, 2)}),
    case(
        "a pod is misaligned",
        "NumagatePodsMisaligned",
        a=a_node("numagate_agent_pods", flat(1), 'outcome="misaligned"'),
    ),
    case("a pod was misaligned for a moment", a=a_node("numagate_agent_pods", from_minute(53, 0, 1), MISALIGNED)),
    case("a gate holds a pod back", "NumagatePodsHeldBack", a=a_node("numagate_agent_held_back_pods", flat(1))),
    case("a pod with a gate starts", a=a_node("numagate_agent_held_back_pods", from_minute(40, 0, 1))),
    case("a promise is forged", "NumagatePromiseForged", a=a_node("numagate_agent_forged_promises", flat(1))),
    case(
        "of most pods nothing can be told",
        "NumagateVerdictsUnknown",
        a=nodes("numagate_agent_pods", flat(9), 'outcome="unknown"'),
    ),
    case("of some pods nothing can be told", a=a_node("numagate_agent_pods", flat(4), 'outcome="unknown"')),
    case(
        "a kubelet will not start again",
        "NumagateNodeFault",
        a=a_node("numagate_agent_node_faults", flat(1), 'fault="cpu-manager-state-stale"'),
    ),
    case(
        "an agent does not look",
        "NumagateAgentBlind",
        a=a_node("numagate_agent_last_look_timestamp_seconds", f"0+60x30 1800+0x{LONG}"),
    ),
    case("an agent looks slowly", a=a_node("numagate_agent_last_look_timestamp_seconds", f"0+60x52 3120+0x{LONG}")),
    case(
        "conditions cannot be written",
        "NumagateAgentCannotTell",
        a=a_node("numagate_agent_write_failures_total", f"0+2x{LONG}", 'what="condition"'),
    ),
    case(
        "the API server was away for a moment",
        a=nodes("numagate_agent_write_failures_total", from_minute(40, 0, 4), 'what="condition"'),
    ),
)


@pytest.fixture(scope="module")
def verdicts(promtool: Promtool) -> dict[str, str]:
    """Try every case in one run."""
    return promtool.verdicts(rules(), CASES)


@pytest.mark.parametrize("name", [case.name for case in CASES])
def test_these_alerts_fire_and_no_others(verdicts: dict[str, str], name: str) -> None:
    assert verdicts[name] == ""


def test_each_alert_is_tried_both_ways() -> None:
    assert frozenset().union(*(case.firing for case in CASES)) == set(ALERTS)


def test_promtool_finds_nothing_wrong_with_the_rules(promtool: Promtool) -> None:
    assert promtool.check_rules(rules()) == ""


def test_promtool_finds_nothing_wrong_with_our_metrics(promtool: Promtool) -> None:
    known = (ServiceMetrics, ControllerMetrics, AgentMetrics)

    assert [promtool.check_metrics(metrics("0").render().decode()) for metrics in known] == ["", "", ""]


def queries() -> Iterator[tuple[str, str]]:
    """Answer every expression of the dashboard, with what Grafana fills in."""
    for panels in ROWS.values():
        for panel in panels:
            for legend, query in panel.queries.items():
                yield f"{panel.title} {legend}", query.replace("$__rate_interval", "5m")


def test_prometheus_can_read_every_query_of_the_dashboard(promtool: Promtool) -> None:
    made = [{"record": f"query:{number}", "expr": query} for number, (_, query) in enumerate(queries())]

    assert promtool.check_rules({"groups": [{"name": "dashboard", "rules": made}]}) == ""


def expressions() -> dict[str, str]:
    """Answer every expression of rules and dashboard by what it is for."""
    return {name: alert.expression for name, alert in ALERTS.items()} | dict(queries())


@pytest.mark.parametrize("text", expressions().values(), ids=list(expressions()))
def test_no_expression_names_a_metric_that_nobody_has(text: str) -> None:
    named = set(re.findall(r"\b(?:numagate|apiserver|process)_\w+", text))

    assert named
    assert named <= metrictable.series_names() | API_SERVER | PROCESS


@pytest.mark.parametrize("alert", ALERTS.values(), ids=list(ALERTS))
def test_each_alert_has_its_section_in_the_runbook_with_one_command(alert: Alert) -> None:
    page, _, anchor = alert.runbook.partition("#")
    section = OPERATIONS.partition(f"\n### {alert.name}\n")[2].partition("\n##")[0]

    assert (page, anchor) == ("docs/operations.md", alert.name.lower())
    assert section.lstrip().startswith(f"*{alert.severity.capitalize()}.*")
    assert [word for word in ("**Means**", "**See**", "**Do**") if word not in section] == []
    assert section.count("```console\n") == 1


def test_the_runbook_has_no_section_for_what_is_no_alert() -> None:
    assert re.findall(r"^### (Numagate\w+)$", OPERATIONS, flags=re.MULTILINE) == list(ALERTS)
