"""Alerts on the serving replicas: whether they are there, can keep up, and decide by the same."""

from typing import Final

from webhook.manifests.monitoring import promql
from webhook.manifests.monitoring.alert import Alert

_DAY: Final = 86_400

ALERTS: Final = (
    Alert(
        name="NumagateReplicasMissing",
        severity="critical",
        expression=f"(count({promql.READY} == 1) or vector(0)) < 2",
        minutes=5,
        summary="Fewer than two replicas of numagate are ready",
        description="{{ $value }} replicas are ready, or Prometheus does not reach them: one more loss refuses pods.",
    ),
    Alert(
        name="NumagateCertificateExpires",
        severity="critical",
        # Who renews by himself does so when a third of the life is left.
        expression=f"numagate_certificate_expiry_timestamp_seconds - time() < 14 * {_DAY}\n"
        "and numagate_certificate_expiry_timestamp_seconds - time() < numagate_certificate_lifetime_seconds / 4",
        minutes=15,
        summary="The serving certificate ends soon",
        description="{{ $labels.instance }} serves a certificate that ends in {{ $value | humanizeDuration }}.",
    ),
    Alert(
        name="NumagateCertificateRefused",
        severity="warning",
        expression="numagate_certificate_last_reload_successful == 0",
        minutes=5,
        summary="A new serving certificate cannot be used",
        description="{{ $labels.instance }} has refused the certificate files and serves the one before.",
    ),
    Alert(
        name="NumagateClientCertificateExpires",
        severity="critical",
        # Only replicas that ask for a certificate have these metrics; 0 says that nobody has shown one yet.
        expression=f"min(numagate_client_certificate_expiry_timestamp_seconds > 0) - time() < 14 * {_DAY}\n"
        f"or min(numagate_client_ca_expiry_timestamp_seconds > 0) - time() < 14 * {_DAY}",
        minutes=15,
        summary="The API server's certificate, or the CA that signs it, ends soon",
        description="It ends in {{ $value | humanizeDuration }}; after that every call is refused.",
    ),
    Alert(
        name="NumagatePolicyRefused",
        severity="warning",
        expression="numagate_policy_last_reload_successful == 0",
        minutes=5,
        summary="A new policy or world snapshot cannot be used",
        description="{{ $labels.instance }} has refused the newest content and decides by the one before.",
    ),
    Alert(
        name="NumagateReplicasDisagree",
        severity="warning",
        expression="count by (name, generation) (numagate_policy_info)\n"
        '!= scalar(count(numagate_build_info{component="serve"}))',
        minutes=10,
        summary="Replicas decide by different policies",
        description="Only {{ $value }} replicas have generation {{ $labels.generation }} of policy {{ $labels.name }}.",
    ),
    Alert(
        name="NumagateOverloaded",
        severity="warning",
        expression='sum(rate(numagate_http_requests_total{status=~"429|503"}[5m])) > 0',
        minutes=5,
        summary="numagate sends requests away",
        description='{{ printf "%.2f" $value }} requests a second are told to come again.',
    ),
    Alert(
        name="NumagateEventLoopLag",
        severity="warning",
        expression=f"{promql.quantile(0.99, promql.LAG, by='instance', window='5m')} > 0.5",
        minutes=5,
        summary="A replica of numagate is stalled again and again",
        description='{{ $labels.instance }} comes round {{ printf "%.1f" $value }} s late: no CPU, or too much work.',
    ),
    Alert(
        name="NumagateFailsOnRequests",
        severity="warning",
        expression=promql.grew('numagate_http_requests_total{status="500"}', minutes=10, by="pass"),
        minutes=0,
        summary="numagate has a bug on some requests",
        description="Requests of the pass {{ $labels.pass }} were answered with an internal error.",
    ),
    Alert(
        name="NumagateRefusalsSpike",
        severity="warning",
        expression=f"sum(increase({promql.DENIED}[10m])) > 20\n"
        f"and sum(rate({promql.DENIED}[10m])) > 5 * (sum(rate({promql.DENIED}[1d] offset 10m)) or vector(0))",
        minutes=5,
        summary="numagate refuses many more pods than usual",
        description='{{ printf "%.0f" $value }} pods were refused in ten minutes, over five times the rate of the day.',
    ),
    Alert(
        name="NumagateExemptionExpired",
        severity="info",
        expression="max(numagate_exemptions_expired) > 0",
        minutes=10,
        summary="An exemption of the policy is over",
        description="{{ $value }} exemptions have passed their end: their pods are judged again.",
    ),
)
