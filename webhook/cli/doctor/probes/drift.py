"""Do the installed configurations ask for what the policies in force need?"""

from collections.abc import Iterator
from typing import Final

from webhook.cli.doctor.facts import Facts
from webhook.cli.doctor.facts import label_of
from webhook.cli.doctor.facts import name_of
from webhook.cli.doctor.probes._entries import grouped
from webhook.cli.doctor.probes.configurations import APPLY
from webhook.cli.doctor.result import Probe
from webhook.cli.doctor.result import Result
from webhook.cli.doctor.result import ok
from webhook.cli.doctor.result import unknown
from webhook.cli.doctor.result import warning
from webhook.cli.doctor.wanted import wanted
from webhook.controller.drift import compare
from webhook.domain import keys
from webhook.domain.errors import NumagateError
from webhook.domain.raw import JsonObject
from webhook.domain.raw import as_object
from webhook.domain.raw import get_list
from webhook.domain.raw import get_text

CHOSEN: Final = ("failurePolicy", "timeoutSeconds", "sideEffects", "reinvocationPolicy")
"""What whoever installs chooses, by the mode."""


def look(facts: Facts) -> Iterator[Result]:
    """Compare with what `numagate manifests` would make of the policies in force."""
    for word, installed in facts.configurations.items():
        try:
            made = wanted(facts, word, label_of(installed, keys.INSTALLED_MODE))
        except (NumagateError, ValueError) as error:
            yield unknown(f"the policies in force cannot be read: {error}")
            return
        if made is None:
            yield unknown("the policies in force are not known: needs the world snapshot, or the policies")
            return
        drift = compare(installed, made)
        told = [*([drift.words] if drift.words else []), *grouped(_chosen(installed, made))]
        if told:
            remedy = APPLY.replace("MODE", label_of(installed, keys.INSTALLED_MODE))
            yield warning(f"{word} configuration {name_of(installed)}: {'; '.join(told)}", remedy)
        else:
            yield ok(f"the {word} configuration is in step with the policies")


def _chosen(installed: JsonObject, made: JsonObject) -> Iterator[tuple[str, str]]:
    theirs = {get_text(one, "name"): as_object(one) for one in get_list(installed, "webhooks")}
    for ours in map(as_object, get_list(made, "webhooks")):
        there = theirs.get(get_text(ours, "name"), ours)
        for field in CHOSEN:
            if field in ours and there.get(field) != ours[field]:
                yield get_text(ours, "name"), f"{field} is {there.get(field)}, rendered as {ours[field]}"


PROBE = Probe("drift", 11, look)
