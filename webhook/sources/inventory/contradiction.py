"""Compares what a node reports with its own Node: both are about one machine, and what is written adds up to it."""

from collections.abc import Iterator

from webhook.sources.evidence import AlignmentFacts
from webhook.sources.evidence import NodeFacts
from webhook.sources.evidence import ReportFacts

_PART = 8
"""Memory may differ by one part in so many: a kernel keeps some for itself, and may be given more while it runs.

CPUs may not differ at all. Exporters, our agent and kubelets all count the ones that are online, isolated ones too.
"""
_GIB = 1 << 30


def with_agents_doubts(node: NodeFacts | None, found: AlignmentFacts | None) -> AlignmentFacts | None:
    """Answer what an agent wrote with what it says against its Node among its doubts."""
    if node is None or found is None:
        return found
    doubts = tuple(_against_agent(node, found))
    return found._replace(doubts=(*found.doubts, *doubts)) if doubts else found


def _against_agent(node: NodeFacts, found: AlignmentFacts) -> Iterator[str]:
    if found.memory:
        yield from _differences(node, found.cpus, sum(found.memory), "on all NUMA nodes")
    if found.version and node.version and found.version != node.version:
        yield f"conflict with the Node: settings of a kubelet {found.version}, and {node.version} runs"


def with_doubts(node: NodeFacts | None, report: ReportFacts | None) -> ReportFacts | None:
    """Answer the report with what it says against its Node among its doubts."""
    if node is None or report is None:
        return report
    found = tuple(_against(node, report))
    return report._replace(doubts=(*report.doubts, *found)) if found else report


def _against(node: NodeFacts, report: ReportFacts) -> Iterator[str]:
    """Compare the sums over zones."""
    cpus = [zone.cpus[0] for zone in report.zones if zone.cpus]
    memory = [sizes[0] for sizes in report.memory if sizes]
    yield from _differences(
        node, sum(cpus) if cpus else None, sum(memory) if any(report.memory) else None, "in all zones"
    )


def _differences(node: NodeFacts, cpus: int | None, memory: int | None, where: str) -> Iterator[str]:
    """Compare sums with the Node's. What one of both does not say (None, or 0 of a Node) is no contradiction."""
    if cpus is not None and node.cpus and cpus != node.cpus:
        yield f"conflict with the Node: {cpus} CPUs {where}, {node.cpus} in its capacity"
    if memory is not None and node.memory and abs(memory - node.memory) * _PART > node.memory:
        # In whole GiB, so that nodes which differ a little are told in the same words, and at once.
        there, wanted = memory // _GIB, node.memory // _GIB
        yield f"conflict with the Node: {there} GiB of memory {where}, {wanted} in its capacity"
