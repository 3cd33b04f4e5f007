"""Asks every rule, and last the simulated kubelet itself, so that nothing passes that would not start."""

from collections.abc import Iterable
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from webhook.domain.kubelet.startup import startup_error
from webhook.domain.kubelet_configuration.finding import Finding
from webhook.domain.kubelet_configuration.finding import fault
from webhook.domain.kubelet_configuration.rule import Rule
from webhook.domain.kubelet_configuration.subject import Subject
from webhook.domain.topology import NodeClass

CODE: Final = "start-up"
"""The code of what no rule said, in the kubelet's own words."""


def judge(subject: Subject, rules: Iterable[Rule]) -> tuple[Finding, ...]:
    """Answer what all rules find, each under its name; without a machine what needs one is left out."""
    found = [replace(one, code=rule.name) for rule in rules for one in rule.find(subject)]
    if not any(one.fatal for one in found):
        found += _last_word(subject)
    return tuple(found)


def _last_word(subject: Subject) -> Iterator[Finding]:
    if subject.node is None or subject.unsure:
        return
    error = startup_error(_with_distances(subject.node))
    if error is not None:
        said = fault((), f"the kubelet says: {error}", "see docs/kubelet-configuration.md")
        yield replace(said, code=CODE)


def _with_distances(node: NodeClass) -> NodeClass:
    """Fill in distances that a profile leaves out: every machine has them."""
    far = tuple(10 if other is node.cells[0] else 20 for other in node.cells)
    cells = tuple(cell if cell.distances else replace(cell, distances=far) for cell in node.cells)
    return replace(node, cells=cells)
