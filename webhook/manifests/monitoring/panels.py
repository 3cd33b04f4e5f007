"""The panels of the dashboard, row by row: a title, a unit, and what each line shows."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from webhook.manifests.monitoring import promql

_RATE: Final = "$__rate_interval"


@dataclass(frozen=True, slots=True)
class Panel:
    """One panel; `queries` are expressions by legend. `kind` is Grafana's word; `red` the value that calls for help.

    With `red_below` small values are the bad ones.
    """

    title: str
    queries: Mapping[str, str]
    unit: str = "short"
    kind: str = "timeseries"
    text: str = ""
    red: float | None = None
    red_below: bool = False


def _stat(title: str, query: str, unit: str, *, red: float, red_below: bool = False, text: str = "") -> Panel:
    return Panel(title, {"": query}, unit, "stat", text, red, red_below)


def _rate(counter: str, by: str) -> str:
    return f"sum by ({by}) (rate({counter}[{_RATE}]))"


def _of_process(metric: str) -> str:
    """Take a metric that every program has from our replicas only: agents are as many as nodes."""
    return f"{metric} * on (job, instance) group_left (component) {_REPLICA}"


_REPLICA: Final = 'numagate_build_info{component!="agent"}'
_DAYS: Final = "(min(numagate_certificate_expiry_timestamp_seconds) - time()) / 86400"
_SECONDS: Final = "numagate_request_duration_seconds_bucket"

_NOW: Final = (
    _stat("Ready replicas", f"count({promql.READY} == 1) or vector(0)", "short", red=2, red_below=True),
    _stat("Certificate", _DAYS, "d", red=14, red_below=True, text="Days that the served certificate has left."),
    _stat("World age", "max(numagate_world_age_seconds)", "s", red=300, text="No value where the policy is a file."),
    _stat("Leaders", "sum(numagate_controller_leader)", "short", red=1, red_below=True),
    _stat("Configuration drift", "sum(numagate_webhook_configuration_drift)", "short", red=1),
    _stat("Replicas by version", f"count by (version) ({_REPLICA})", "short", red=1000),
)

_DECISIONS: Final = (
    Panel(
        "Decisions",
        {"{{outcome}}": _rate('numagate_decisions_total{pass="validate"}', "outcome")},
        "reqps",
        text="What becomes of new pods and workloads, in the validating pass.",
    ),
    Panel(
        "Refused, by rule",
        {"{{code}}": _rate('numagate_findings_total{pass="validate",mode="enforce"}', "code")},
        "reqps",
        text="A pod may break several rules.",
    ),
    Panel("Repairs, by rule", {"{{code}}": _rate("numagate_repairs_total", "code")}, "reqps"),
    Panel("New pods, by level reached", {"{{level}}": _rate("numagate_pods_judged_total", "level")}, "reqps"),
)

_CALLS: Final = (
    Panel(
        "Latency as the API server sees it, p99",
        {"{{name}}": promql.quantile(0.99, promql.CALL_SECONDS, by="name", window=_RATE)},
        "s",
        text="With network, TLS, and the queue before numagate.",
        red=1,
    ),
    Panel(
        "Latency in numagate",
        {
            "p99 {{pass}}": promql.quantile(0.99, _SECONDS, by="pass", window=_RATE),
            "p50 {{pass}}": promql.quantile(0.5, _SECONDS, by="pass", window=_RATE),
        },
        "s",
        text="From the first byte of a request to its reply, in the API server's own buckets.",
    ),
    Panel(
        "Calls without an answer",
        {
            "refused: {{name}}": _rate(promql.FAILED_CALLS, "name"),
            "passed unseen: {{name}}": _rate(promql.FAILED_OPEN, "name"),
        },
        "reqps",
    ),
    Panel("Replies, by status", {"{{status}}": _rate("numagate_http_requests_total", "status")}, "reqps"),
)

_REPLICAS: Final = (
    Panel("Requests in work", {"{{instance}}": "numagate_requests_in_flight"}),
    Panel(
        "Event loop lag, p99",
        {"{{instance}}": promql.quantile(0.99, promql.LAG, by="instance", window=_RATE)},
        "s",
        text="How late a replica comes round: no CPU, or too much work.",
        red=0.5,
    ),
    Panel(
        "Connections",
        {
            "open {{instance}}": "numagate_connections",
            "cut off: {{reason}}": _rate("numagate_connections_dropped_total", "reason"),
        },
    ),
    Panel("Memory", {"{{component}} {{instance}}": _of_process("process_resident_memory_bytes")}, "bytes"),
    Panel(
        "CPU",
        {"{{component}} {{instance}}": _of_process(f"rate(process_cpu_seconds_total[{_RATE}])")},
        text="In CPUs; one replica uses one at most.",
    ),
    Panel("Open files", {"{{component}} {{instance}}": _of_process("process_open_fds")}),
)

_WORLD: Final = (
    Panel(
        "Policies in force",
        {"{{name}} {{generation}}": "count by (name, generation) (numagate_policy_info)"},
        kind="table",
        text="How many replicas have each; all of them should.",
    ),
    Panel("Node classes", {"{{trust}}": "max by (trust) (numagate_node_classes)"}),
    Panel("Size of the snapshot", {"bytes": "max(numagate_world_bytes)"}, "bytes", red=1_048_576),
    Panel("Objects watched", {"{{kind}}": "max by (kind) (numagate_controller_objects)"}),
)

_NODES: Final = (
    Panel("Pods, by verdict", {"{{outcome}}": "sum by (outcome) (numagate_agent_pods)"}),
    Panel(
        "Broken rules",
        {"{{rule}}": 'sum by (rule) (numagate_agent_rules{outcome="misaligned"}) > 0'},
        text="A pod may break several rules, each for several containers.",
    ),
    Panel("Held back by the readiness gate", {"pods": "sum(numagate_agent_held_back_pods)"}, red=1),
    Panel(
        "Agents",
        {
            "ready": 'sum(numagate_ready{component="agent"})',
            "running": 'count(numagate_build_info{component="agent"})',
        },
    ),
    Panel(
        "Time of a look, p99",
        {"of all agents": f"histogram_quantile(0.99, sum by (le) (rate(numagate_agent_look_seconds_bucket[{_RATE}])))"},
        "s",
    ),
    Panel("Writes that failed", {"{{what}}": _rate("numagate_agent_write_failures_total", "what")}, "reqps"),
)

ROWS: Final[Mapping[str, tuple[Panel, ...]]] = MappingProxyType(
    {
        "Now": _NOW,
        "Decisions": _DECISIONS,
        "Calls": _CALLS,
        "Replicas": _REPLICAS,
        "World": _WORLD,
        "Nodes": _NODES,
    }
)
"""Every panel, by the row that it stands in."""
