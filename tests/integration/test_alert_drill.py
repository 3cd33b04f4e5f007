"""The drill: trouble is made for a real service and a real API server, and their own metrics make the alerts fire.

What both show before and after is written out as a history for promtool.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest
from controlplane.cluster import ControlPlane
from controlplane.identity import ADMIN
from controlplane.process import until
from controlplane.service import SCOUT
from controlplane.service import WebhookService
from controlplane.service import registered
from promtool import Case
from promtool import Promtool

from webhook.manifests.monitoring.rules import GROUPS
from webhook.manifests.monitoring.rules import rules

PODS: Final = "/api/v1/namespaces/default/pods?dryRun=All"
USED: Final = re.compile(
    "|".join(
        sorted(
            {
                name
                for alerts in GROUPS.values()
                for alert in alerts
                for name in re.findall(r"\b(?:numagate|apiserver)_\w+", alert.expression)
            }
        )
    )
)
"""The metrics that some rule names."""
BEFORE: Final = 29
AT_ONCE: Final = 31
LATER: Final = 36
"""Minutes: what is new comes at minute 30; some rules fire at once, some after five minutes."""
ALONE: Final = "NumagateReplicasMissing"
"""Fires all the time, because the drill has one replica only."""


@pytest.fixture(scope="module")
def cluster(programs: dict[str, Path]) -> Iterator[ControlPlane]:
    """Run an API server whose metrics know nothing yet."""
    with ControlPlane(programs=programs, controllers=False) as running:
        yield running


@pytest.fixture
def service() -> Iterator[WebhookService]:
    """Run a service that a drill may end."""
    with WebhookService(arguments=["--profile", "generic-2x4"]) as running:
        yield running


def scrape(cluster: ControlPlane, service: WebhookService) -> dict[str, str]:
    """Answer what Prometheus would see of both now, as far as a rule asks for it."""
    header = {"Authorization": f"Bearer {cluster.identity.tokens[ADMIN]}"}
    texts = [cluster.http.get("/metrics", headers=header).text]
    if service.daemon.process.poll() is None:
        texts.append(service.http.get(f"{service.probe_url}/metrics").text)
    lines = (line for text in texts for line in text.splitlines() if USED.match(line))
    return {name: value for name, _, value in (line.rpartition(" ") for line in lines)}


def history(before: dict[str, str], after: dict[str, str]) -> dict[str, str]:
    """Write both as series that change at minute 30."""
    return {
        name: f"{_half_an_hour(before.get(name))} {_half_an_hour(after.get(name))}"
        for name in sorted({*before, *after})
    }


def _half_an_hour(value: str | None) -> str:
    # The first value counts beside those that are added to it.
    return "_x30" if value is None else f"{value}+0x29"


def assert_fires(promtool: Promtool, alert: str, before: dict[str, str], after: dict[str, str], *, at: int) -> None:
    """Let Prometheus' rules say that this alert fires because of what is new, and no other."""
    seen = history(before, after)
    cases = (
        Case("before", seen, BEFORE, frozenset({ALONE})),
        Case("after", seen, at, frozenset({ALONE, alert})),
    )

    assert promtool.verdicts(rules(), cases) == {"before": "", "after": ""}


def test_a_service_that_is_away_makes_calls_fail(
    cluster: ControlPlane, service: WebhookService, promtool: Promtool
) -> None:
    with registered(cluster, service, "enforce"):
        before = scrape(cluster, service)
        service.daemon.stop()
        answer = cluster.request("POST", PODS, SCOUT)
        after = {**before, **scrape(cluster, service)}

    assert answer.status == 500
    assert_fires(promtool, "NumagateCallsFail", before, after, at=AT_ONCE)


def test_a_service_that_is_away_in_trial_makes_calls_fail_open(
    cluster: ControlPlane, service: WebhookService, promtool: Promtool
) -> None:
    with registered(cluster, service, "trial"):
        before = scrape(cluster, service)
        service.daemon.stop()
        answer = cluster.request("POST", PODS, SCOUT)
        after = {**before, **scrape(cluster, service)}

    assert answer.status == 201
    assert_fires(promtool, "NumagateFailsOpen", before, after, at=AT_ONCE)


def test_a_torn_certificate_is_refused_and_told(
    cluster: ControlPlane, service: WebhookService, promtool: Promtool
) -> None:
    before = scrape(cluster, service)
    (service.folder / "tls.crt").write_text("-----BEGIN CERTIFICATE-----\n")
    until(
        lambda: scrape(cluster, service)["numagate_certificate_last_reload_successful"] == "0.0",
        what="the refusal of the certificate",
    )

    assert_fires(promtool, "NumagateCertificateRefused", before, scrape(cluster, service), at=LATER)


def test_a_broken_policy_is_refused_and_told(cluster: ControlPlane, tmp_path: Path, promtool: Promtool) -> None:
    policy = tmp_path / "policy.yaml"
    policy.write_text("apiVersion: numagate.io/v1alpha1\nkind: AlignmentPolicy\nmetadata: {name: one}\nspec: {}\n")
    with WebhookService(policy=policy) as service:
        before = scrape(cluster, service)
        policy.write_text("apiVersion: numagate.io/v1alpha1\nkind: AlignmentPolicy\nspec: {governs: nothing}\n")
        until(
            lambda: scrape(cluster, service)["numagate_policy_last_reload_successful"] == "0.0",
            what="the refusal of the policy",
        )
        after = scrape(cluster, service)

    assert_fires(promtool, "NumagatePolicyRefused", before, after, at=LATER)


def test_the_api_server_has_the_histogram_and_the_labels_that_rules_ask_for(
    cluster: ControlPlane, service: WebhookService
) -> None:
    with registered(cluster, service, "enforce"):
        seen = scrape(cluster, service)

    buckets = [
        name for name in seen if name.startswith("apiserver_admission_webhook_admission_duration_seconds_bucket")
    ]
    ours = [name for name in buckets if 'name="pods.validate.numagate.io"' in name]
    assert {"0.005", "0.025", "0.1", "0.5", "1", "2.5", "10", "25", "+Inf"} == {
        bound for name in ours for bound in re.findall(r'le="([^"]+)"', name)
    }
