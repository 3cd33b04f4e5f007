"""Holds an AlignmentPolicy or NodeProfile that is an object, not a file, against everything that a file must keep."""

from collections.abc import Iterable
from datetime import datetime

from webhook.config import grammar
from webhook.config.document import from_object
from webhook.config.lockout import lockouts
from webhook.domain import api
from webhook.domain.errors import PolicyError
from webhook.domain.overlap import by_name_alone
from webhook.domain.policy import Policy
from webhook.domain.raw import JsonObject
from webhook.sources.policy_file import is_partial
from webhook.sources.policy_file import read_policy
from webhook.sources.policy_file import read_profile


def faults(data: JsonObject, *, own_namespace: str) -> tuple[PolicyError, ...]:
    """Answer everything that is wrong with an object of ours; without any it can be in force."""
    try:
        document = from_object(data, "")
    except PolicyError as error:
        return (error,)
    found = grammar.errors(document)
    if found:
        return found
    if document.kind == api.POLICY:
        return tuple(lockouts(document, own_namespace=own_namespace))
    if is_partial(document):
        return ()  # what it completes is known on the nodes only
    try:
        read_profile(document)
    except PolicyError as error:
        return (error,)
    return ()


def ended_warnings(data: JsonObject, instant: datetime) -> tuple[str, ...]:
    """Name each exemption that is over before it begins; `data` has no faults."""
    document = from_object(data, "")
    if document.kind != api.POLICY:
        return ()
    return tuple(
        f"spec.exemptions.rules[{number}] ended at {rule.until:%Y-%m-%dT%H:%M:%SZ}: it does not hold"
        for number, rule in enumerate(read_policy(document).exemptions.rules)
        if rule.until is not None and not rule.holds_at(instant)
    )


def order_warnings(data: JsonObject, policies: Iterable[Policy]) -> tuple[str, ...]:
    """Name each policy with which only its name decides which of both is asked first; `data` has no faults."""
    document = from_object(data, "")
    if document.kind != api.POLICY:
        return ()
    own = read_policy(document)
    others = [other for other in policies if other.name != own.name and by_name_alone(own, other)]
    return tuple(
        f"order: {other.name} may match the same pods, with priority {own.priority} too; "
        f"{min(own.name, other.name)} is asked first, by name"
        for other in others
    )
