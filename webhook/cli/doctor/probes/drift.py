"""Do the installed configurations ask for what the policies in force need?"""

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from webhook.cli.doctor.facts import Facts
from webhook.cli.doctor.facts import label_of
from webhook.cli.doctor.facts import name_of
from webhook.cli.doctor.facts import url_of
from webhook.cli.doctor.probes._entries import grouped
from webhook.cli.doctor.probes.configurations import APPLY
from webhook.cli.doctor.result import Probe
from webhook.cli.doctor.result import Result
from webhook.cli.doctor.result import ok
from webhook.cli.doctor.result import problem
from webhook.cli.doctor.result import unknown
from webhook.cli.doctor.result import warning
from webhook.cli.doctor.wanted import wanted
from webhook.controller.drift import Drift
from webhook.controller.drift import compare
from webhook.domain import keys
from webhook.domain.errors import NumagateError
from webhook.domain.raw import JsonObject
from webhook.domain.raw import as_object
from webhook.domain.raw import get_list
from webhook.domain.raw import get_object
from webhook.domain.raw import get_text

CHOSEN: Final = ("failurePolicy", "timeoutSeconds", "sideEffects", "reinvocationPolicy", "matchPolicy")
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
        name = f"{word} configuration {name_of(installed)}"
        remedy = APPLY.replace("MODE", label_of(installed, keys.INSTALLED_MODE))
        found = [
            *(problem(f"{name}: {told}", remedy) for told in grouped(_unjudged(drift, installed, made))),
            *_narrowed(word, installed),
        ]
        fields = replace(drift, missing=()).words
        if told := [*([fields] if fields else []), *grouped(_chosen(installed, made))]:
            found.append(warning(f"{name}: {'; '.join(told)}", remedy))
        yield from found or [ok(f"the {word} configuration is in step with the policies")]


def _unjudged(drift: Drift, installed: JsonObject, made: JsonObject) -> Iterator[tuple[str, str]]:
    """Say which entries judge nothing: those that are not there, and those that call where nobody judges."""
    yield from ((name, "is not installed, so nothing that it is for is judged") for name in drift.missing)
    for theirs, ours in _pairs(installed, made):
        called, right = (get_text(get_object(one, "clientConfig", "service"), "path") for one in (theirs, ours))
        if called != right and not url_of(theirs):
            yield get_text(ours, "name"), f"calls path {called or '/'}, where nobody judges, not {right}"


def _narrowed(word: str, installed: JsonObject) -> Iterator[Result]:
    """Say where an object selector leaves objects out; none is rendered, and applying one without does not empty it."""
    entries = [as_object(one) for one in get_list(installed, "webhooks")]
    narrowed = {at: one for at, one in enumerate(entries) if any(get_object(one, "objectSelector").values())}
    if narrowed:
        patch = [{"op": "replace", "path": f"/webhooks/{at}/objectSelector", "value": {}} for at in narrowed]
        command = f"kubectl patch {word}webhookconfiguration {name_of(installed)} --type=json -p '{json.dumps(patch)}'"
        told = grouped((get_text(one, "name"), "objectSelector leaves objects out") for one in narrowed.values())
        yield problem(f"{word} configuration {name_of(installed)}: {'; '.join(told)}", command)


def _chosen(installed: JsonObject, made: JsonObject) -> Iterator[tuple[str, str]]:
    for theirs, ours in _pairs(installed, made):
        for field in CHOSEN:
            if field in ours and theirs.get(field) != ours[field]:
                yield get_text(ours, "name"), f"{field} is {theirs.get(field)}, rendered as {ours[field]}"


def _pairs(installed: JsonObject, made: JsonObject) -> Iterator[tuple[JsonObject, JsonObject]]:
    """Answer each entry that is there and wanted, as it is and as it is rendered."""
    there = {get_text(one, "name"): as_object(one) for one in get_list(installed, "webhooks")}
    for ours in map(as_object, get_list(made, "webhooks")):
        if (theirs := there.get(get_text(ours, "name"))) is not None:
            yield theirs, ours


PROBE = Probe("drift", 11, look)
