"""Pieces of PromQL that rules and dashboard share."""

from typing import Final

OURS: Final = 'name=~".+[.]numagate[.]io"'
"""Selects our entries in the API server's own metrics, which have those of every webhook."""

FAILED_CALLS: Final = f'apiserver_admission_webhook_rejection_count{{{OURS},error_type="calling_webhook_error"}}'
FAILED_OPEN: Final = f"apiserver_admission_webhook_fail_open_count{{{OURS}}}"
CONDITION_ERRORS: Final = f"apiserver_admission_match_condition_evaluation_errors_total{{{OURS}}}"
CALL_SECONDS: Final = f"apiserver_admission_webhook_admission_duration_seconds_bucket{{{OURS}}}"

DENIED: Final = 'numagate_decisions_total{pass="validate",outcome="deny"}'
LAG: Final = "numagate_event_loop_lag_seconds_bucket"
READY: Final = 'numagate_ready{component="serve"}'


def grew(counter: str, *, minutes: int, by: str) -> str:
    """Ask for a counter that has grown, the first time included.

    A counter that appears with a value has no increase for Prometheus, and ours appear with their first event.

    >>> print(grew("errors_total", minutes=5, by="name"))
    sum by (name) (increase(errors_total[5m])) > 0
    or
    sum by (name) (errors_total) > 0
    unless
    sum by (name) (errors_total offset 5m)
    """
    first = f"sum by ({by}) ({counter}) > 0\nunless\nsum by ({by}) ({counter} offset {minutes}m)"
    return f"sum by ({by}) (increase({counter}[{minutes}m])) > 0\nor\n{first}"


def quantile(share: float, buckets: str, *, by: str, window: str) -> str:
    """Ask for a quantile of a histogram.

    >>> quantile(0.99, "seconds_bucket", by="pass", window="5m")
    'histogram_quantile(0.99, sum by (le, pass) (rate(seconds_bucket[5m])))'
    """
    return f"histogram_quantile({share:g}, sum by (le, {by}) (rate({buckets}[{window}])))"
