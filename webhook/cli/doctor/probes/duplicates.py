"""Does another configuration call numagate, too, perhaps one of an older installation?"""

from collections.abc import Iterator

from webhook.cli.doctor.facts import NAME
from webhook.cli.doctor.facts import Facts
from webhook.cli.doctor.facts import Many
from webhook.cli.doctor.facts import name_of
from webhook.cli.doctor.facts import service_of
from webhook.cli.doctor.result import Probe
from webhook.cli.doctor.result import Result
from webhook.cli.doctor.result import ok
from webhook.cli.doctor.result import problem
from webhook.domain.raw import JsonObject
from webhook.domain.raw import as_object
from webhook.domain.raw import get_list
from webhook.domain.raw import get_text


def look(facts: Facts) -> Iterator[Result]:
    """Look for our entries' names and our Service in all configurations."""
    if facts.mutating.error or facts.validating.error:
        return
    found = [
        (kind, name)
        for kind, many in (("mutating", facts.mutating), ("validating", facts.validating))
        for name in _others(many)
    ]
    for kind, name in found:
        yield problem(
            f"{kind} configuration {name} calls numagate, too: pods are judged twice",
            f"kubectl delete {kind}webhookconfiguration {name}",
        )
    if not found:
        yield ok("no other configuration calls numagate")


def _others(many: Many) -> Iterator[str]:
    for one in many.items:
        entries = map(as_object, get_list(one, "webhooks"))
        if name_of(one) != NAME and any(map(_is_ours, entries)):
            yield name_of(one)


def _is_ours(entry: JsonObject) -> bool:
    return get_text(entry, "name").endswith(".numagate.io") or service_of(entry)[1] == NAME


PROBE = Probe("duplicates", 9, look)
