"""Alerts on what the API server says about its calls: they also see what never reached numagate."""

from typing import Final

from webhook.manifests.monitoring import promql
from webhook.manifests.monitoring.alert import Alert

ALERTS: Final = (
    Alert(
        name="NumagateCallsFail",
        severity="critical",
        expression=promql.grew(promql.FAILED_CALLS, minutes=5, by="name"),
        minutes=0,
        summary="Pods are refused because numagate does not answer",
        description="The API server got no usable answer from {{ $labels.name }} and refused the requests.",
    ),
    Alert(
        name="NumagateFailsOpen",
        severity="warning",
        expression=promql.grew(promql.FAILED_OPEN, minutes=5, by="name"),
        minutes=0,
        summary="Requests pass without numagate having seen them",
        description="The API server got no usable answer from {{ $labels.name }} and let the requests pass.",
    ),
    Alert(
        name="NumagateSlow",
        severity="warning",
        expression=f"{promql.quantile(0.99, promql.CALL_SECONDS, by='name', window='5m')} > 1",
        minutes=5,
        summary="numagate delays the creation of pods",
        description='One call in a hundred to {{ $labels.name }} takes {{ printf "%.1f" $value }} s or more.',
    ),
    Alert(
        name="NumagateConditionErrors",
        severity="warning",
        expression=promql.grew(promql.CONDITION_ERRORS, minutes=10, by="name"),
        minutes=0,
        summary="The API server cannot evaluate a match condition",
        description="A CEL expression of {{ $labels.name }} fails: such requests are refused or pass unseen.",
    ),
)
