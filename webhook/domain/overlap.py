"""Tells whether two policies may be asked about the same pod, so that only their names decide which governs it."""

from fnmatch import fnmatchcase
from itertools import product

from webhook.domain.policy import EVERYTHING
from webhook.domain.policy import Match
from webhook.domain.policy import Policy
from webhook.domain.selector import LabelSelector


def by_name_alone(first: Policy, second: Policy) -> bool:
    """Tell whether nothing but the names of two policies may decide which is asked first about a pod.

    Rather one time too often: what selectors compare is followed only where both ask for values.
    """
    alike = first.priority == second.priority and (first.match == EVERYTHING) == (second.match == EVERYTHING)
    return alike and may_overlap(first.match, second.match)


def may_overlap(first: Match, second: Match) -> bool:
    """Tell whether a pod may be meant by both."""
    return (
        _patterns(first.accelerators, second.accelerators)
        and _patterns(first.namespaces, second.namespaces)
        and _selectors(first.namespace_selector, second.namespace_selector)
        and _selectors(first.pod_selector, second.pod_selector)
    )


def _patterns(first: tuple[str, ...] | None, second: tuple[str, ...] | None) -> bool:
    if first is None or second is None:
        return True
    return any(_meet(one, other) for one, other in product(first, second))


def _meet(first: str, second: str) -> bool:
    """Tell whether a text may match both patterns, judged by what stands before the first * and behind the last."""
    if "*" not in first or "*" not in second:
        return fnmatchcase(first, second) or fnmatchcase(second, first)
    heads = first.partition("*")[0], second.partition("*")[0]
    tails = first.rpartition("*")[2], second.rpartition("*")[2]
    return (heads[0].startswith(heads[1]) or heads[1].startswith(heads[0])) and (
        tails[0].endswith(tails[1]) or tails[1].endswith(tails[0])
    )


def _selectors(first: LabelSelector | None, second: LabelSelector | None) -> bool:
    """Tell whether labels may meet both: not where they ask for different values of one label."""
    wanted = [_values(selector) for selector in (first, second) if selector is not None]
    if len(wanted) < 2:  # noqa: PLR2004 - both
        return True
    return all(wanted[0][key] & wanted[1][key] for key in wanted[0].keys() & wanted[1].keys())


def _values(selector: LabelSelector) -> dict[str, frozenset[str]]:
    found: dict[str, frozenset[str]] = {}
    for requirement in selector.requirements:
        if requirement.operator == "In":
            values = frozenset(requirement.values)
            found[requirement.key] = found.get(requirement.key, values) & values
    return found
