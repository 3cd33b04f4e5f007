"""Are both webhook configurations installed, for one mode?"""

from collections.abc import Iterator

from webhook.cli.doctor.facts import Facts
from webhook.cli.doctor.facts import label_of
from webhook.cli.doctor.result import Probe
from webhook.cli.doctor.result import Result
from webhook.cli.doctor.result import ok
from webhook.cli.doctor.result import problem
from webhook.cli.doctor.result import unknown
from webhook.cli.doctor.result import warning
from webhook.domain import keys
from webhook.domain.raw import JsonObject
from webhook.domain.raw import get_list
from webhook.domain.raw import get_object
from webhook.domain.raw import get_text
from webhook.manifests.certificates import INJECTED
from webhook.manifests.certificates import Certificates
from webhook.manifests.settings import Mode

APPLY = "numagate manifests --overlay MODE … | kubectl apply -f -"
"""Puts back what an installation consists of."""


def look(facts: Facts) -> Iterator[Result]:
    """Compare their modes."""
    if error := facts.mutating.error or facts.validating.error:
        yield unknown(error)
        return
    found = facts.configurations
    if facts.absent:
        what = f"numagate is not installed: no configuration, and no Deployment in namespace {facts.namespace}"
        yield problem(what, f"{APPLY.replace('MODE', 'observe')}, or name its namespace with --namespace")
        return
    if not found:
        yield warning("nobody asks numagate: no configuration is installed", f"{APPLY.replace('MODE', 'observe')}")
        return
    for word in ("mutating", "validating"):
        if word not in found:
            yield problem(f"the {word} configuration is not installed", APPLY)
    modes = {word: label_of(one, keys.INSTALLED_MODE) for word, one in found.items()}
    if len(set(modes.values())) > 1:
        told = ", ".join(f"{word} for {mode or 'no mode'}" for word, mode in modes.items())
        yield problem(f"the configurations are of different modes: {told}", APPLY)
        return
    mode = next(iter(modes.values()))
    if mode not in {one.value for one in Mode}:
        yield problem(f"label {keys.INSTALLED_MODE} is {mode!r}, which is no mode", APPLY)
        return
    yield from (
        warning(f"the {word} configuration says nothing of who issues certificates: nobody keeps its caBundle", APPLY)
        for word, one in found.items()
        if not _is_issued(one)
    )
    empty = [word for word, one in found.items() if not get_list(one, "webhooks")]
    if empty and (mode != Mode.OBSERVE.value or "validating" in empty):
        yield problem(f"the {empty[0]} configuration has no entries", APPLY.replace("MODE", mode))
    elif len(found) > 1:
        yield ok(f"both are installed, for {mode}")


def _is_issued(found: JsonObject) -> bool:
    """Tell whether an annotation names somebody."""
    annotations = get_object(found, "metadata", "annotations")
    word = get_text(annotations, keys.CERTIFICATES)
    return INJECTED in annotations or word in {one.value for one in Certificates}


PROBE = Probe("configurations", 2, look)
