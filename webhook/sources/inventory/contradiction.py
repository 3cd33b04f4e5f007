"""Compares a report with its own Node: both are about one machine, and what an exporter writes adds up to it."""

from collections.abc import Iterator

from webhook.sources.evidence import NodeFacts
from webhook.sources.evidence import ReportFacts

_PART = 8
"""Memory may differ by one part in so many: a kernel keeps some for itself, and may be given more while it runs.

CPUs may not differ at all. Exporters and kubelets both count the ones that are online, isolated ones too.
"""
_GIB = 1 << 30


def with_doubts(node: NodeFacts | None, report: ReportFacts | None) -> ReportFacts | None:
    """Answer the report with what it says against its Node among its doubts."""
    if node is None or report is None:
        return report
    found = tuple(_against(node, report))
    return report._replace(doubts=(*report.doubts, *found)) if found else report


def _against(node: NodeFacts, report: ReportFacts) -> Iterator[str]:
    """Compare the sums over zones. What one of both does not say is no contradiction."""
    cpus = [zone.cpus[0] for zone in report.zones if zone.cpus]
    if cpus and node.cpus and sum(cpus) != node.cpus:
        yield f"conflict with the Node: {sum(cpus)} CPUs in all zones, {node.cpus} in its capacity"
    memory = sum(sizes[0] for sizes in report.memory if sizes)
    if any(report.memory) and node.memory and abs(memory - node.memory) * _PART > node.memory:
        # In whole GiB, so that nodes which differ a little are told in the same words, and at once.
        there, wanted = memory // _GIB, node.memory // _GIB
        yield f"conflict with the Node: {there} GiB of memory in all zones, {wanted} in its capacity"
