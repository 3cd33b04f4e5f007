"""Reads what a server says about a case: rule codes in texts, and the values that a repair left."""

import re
from collections.abc import Iterable
from collections.abc import Mapping
from typing import Any

from caseobjects import Object
from casetable import Case
from casetable import Expect

from webhook.domain.facts import read
from webhook.domain.quantity import Quantity
from webhook.domain.resources import amount

ASSUMED_ONLY = {"node-class-mismatch"}
"""Found only where a node class is assumed; a server's are declared."""
CURABLE_LATER = {"missing-resources"}
"""What a template is never refused for: an injector or LimitRange may still fill it into the pods."""

_IN_REFUSAL = re.compile(r"; ([a-z-]+)\](?=$|; | \(\+)")
_IN_WARNING = re.compile(r" \[([a-z-]+)\]$")
_PLACE = re.compile(r" \[((?:spec|metadata|template)[^ ;]*)[:;] ")
_REPAIR = re.compile(r"\b(?:limits|requests)\.(?:cpu|memory)(?:: | \S+ -> | is )")


def codes_of_refusal(message: str) -> set[str]:
    """Answer the rule codes of a refusal or of its causes.

    >>> sorted(codes_of_refusal("a [spec.x: 1; fractional-cpu]; b [spec.y; misfit] (+2 more)"))
    ['fractional-cpu', 'misfit']
    """
    return set(_IN_REFUSAL.findall(message))


def places_of_refusal(message: str) -> list[str]:
    """Answer the field paths that a refusal names.

    >>> places_of_refusal("a [spec.x[a]: 1, want 2; fractional-cpu]; b [metadata.y; misfit]")
    ['spec.x[a]', 'metadata.y']
    """
    return _PLACE.findall(message)


def codes_of_warnings(warnings: Iterable[str]) -> set[str]:
    """Answer the rule codes of warnings; those of the API server itself and those about repairs have none.

    >>> codes_of_warnings(["server: 2 whole CPUs [helper-whole-cpu]", "server: limits.cpu 1 -> 2"])
    {'helper-whole-cpu'}
    """
    return {code for warning in warnings for code in _IN_WARNING.findall(warning)}


def repairs_in(warnings: Iterable[str]) -> list[str]:
    """Answer the warnings that tell what was changed in a pod, or will be changed in the pods of a template."""
    return [one for one in warnings if _REPAIR.search(one) and not _IN_WARNING.search(one)]


def refusal_codes(expect: Expect) -> set[str]:
    """Answer the codes that a refusal may hold: the faults as written, and a misfit that only the repair would show."""
    return set(expect.faults) | {"misfit"}


def refused_at_apply(case: Case, expect: Expect) -> bool:
    """Whether the API server refuses the object as it stands: a pod for any fault, a template for lasting ones only."""
    if expect.decision == "invalid":
        return True
    lasting = set(expect.faults) if case.kind == "Pod" else set(expect.faults) - CURABLE_LATER
    return expect.decision == "deny" and bool(lasting)


def warned_codes(expect: Expect) -> set[str]:
    """Answer the codes that an admitted object may be warned about: what is not enforced is among them."""
    left = expect.decision == "warn" or (expect.decision == "repair" and expect.level_after != "aligned")
    return (set(expect.warns) | (set(expect.faults) if left else set())) - ASSUMED_ONLY


def warned_codes_on_a_server(expect: Expect) -> set[str]:
    """Answer those codes that a server can warn about: a pod without accelerators never reaches it."""
    return warned_codes(expect) - {"unallocated-accelerator"}


def unlike(after: Mapping[str, str], before: Object, now: Object) -> list[str]:
    """Answer the containers whose values are not those that `Expect.after` states, with what they are."""
    return [
        f"{name}: {' '.join(map(str, amounts(now, name)))} instead of {value}"
        for name, value in after.items()
        if not _is_like(value, amounts(before, name), amounts(now, name))
    ]


def amounts(pod: Any, name: str) -> tuple[Quantity, ...]:
    """Answer CPU and memory of a container, requests first."""
    container = next(one for one in read(pod).containers if one.name == name)
    return tuple(
        amount(side, resource) for side in (container.requests, container.limits) for resource in ("cpu", "memory")
    )


def _is_like(value: str, before: tuple[Quantity, ...], now: tuple[Quantity, ...]) -> bool:
    if value == "unchanged":
        return before == now
    cpu, memory = now[2:]
    if now[:2] != (cpu, memory):
        return False
    if value == "shared":
        return not cpu.is_whole and not memory.is_zero
    return (cpu, memory) == tuple(map(Quantity.parse, value.split("/")))
