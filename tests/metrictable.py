"""The table of metrics in docs/observability.md, made of the registries of all processes.

Run as a program it writes the table anew.
"""

from collections.abc import Iterator
from pathlib import Path

from prometheus_client import CollectorRegistry
from prometheus_client import Metric

from webhook.controller.metrics import Metrics as ControllerMetrics
from webhook.node.metrics import Metrics as AgentMetrics
from webhook.server.metrics import Metrics as ServiceMetrics
from webhook.web.client_metrics import ClientMetrics

PAGE = Path(__file__).parents[1] / "docs" / "observability.md"
BEGIN = "<!-- metrics -->\n"
END = "<!-- end of metrics -->\n"
REGISTRIES = {
    "serve": ServiceMetrics("0").registry,
    "controller": ControllerMetrics("0").registry,
    "agent": AgentMetrics("0").registry,
}
for _process in ("serve", "controller"):
    ClientMetrics(REGISTRIES[_process])
FOREIGN = "process_"
"""Begins the names that prometheus-client gives every program."""


def families(registry: CollectorRegistry) -> Iterator[Metric]:
    """Answer our own metrics, in the order in which they were registered."""
    return (family for family in registry.collect() if not family.name.startswith(FOREIGN))


def shown_name(family: Metric) -> str:
    """Answer the name under which a metric is found; a histogram has several that begin so."""
    return f"{family.name}_total" if family.type == "counter" else family.name


def labels(registry: CollectorRegistry, family: Metric) -> tuple[str, ...]:
    """Answer the names of the labels, which a metric without a series does not show."""
    collector = registry._names_to_collectors[family.name]  # noqa: SLF001 - there is no other way to ask
    return tuple(getattr(collector, "_labelnames", ()))


def series_names() -> set[str]:
    """Answer every name that an expression may use."""
    found = [one for registry in REGISTRIES.values() for one in families(registry)]
    return {f"{one.name}_bucket" if one.type == "histogram" else shown_name(one) for one in found}


def table() -> str:
    """Write the table: all processes in one, each metric once."""
    rows: dict[str, tuple[str, str, str, list[str]]] = {}
    for process, registry in REGISTRIES.items():
        for family in families(registry):
            named = ", ".join(f"`{label}`" for label in labels(registry, family))
            row = rows.setdefault(shown_name(family), (family.type, named, family.documentation, []))
            row[-1].append(process)
    lines = ["| metric | type | labels | of | what |", "|---|---|---|---|---|"]
    lines += [
        f"| `{name}` | {kind} | {named} | {' and '.join(processes)} | {text} |"
        for name, (kind, named, text, processes) in sorted(rows.items())
    ]
    return "\n".join(lines) + "\n"


def page_with_table(page: str) -> str:
    """Answer the page with its table made anew."""
    before, mark, rest = page.partition(BEGIN)
    _, end, after = rest.partition(END)
    return f"{before}{mark}{table()}{end}{after}"


if __name__ == "__main__":
    PAGE.write_text(page_with_table(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
