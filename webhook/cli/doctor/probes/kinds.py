"""Are our kinds defined, as this version of numagate knows them?"""

from collections.abc import Iterator

from webhook.cli.doctor.facts import Facts
from webhook.cli.doctor.facts import name_of
from webhook.cli.doctor.result import Probe
from webhook.cli.doctor.result import Result
from webhook.cli.doctor.result import ok
from webhook.cli.doctor.result import problem
from webhook.cli.doctor.result import unknown
from webhook.cli.doctor.result import warning
from webhook.domain.raw import JsonObject
from webhook.domain.raw import as_object
from webhook.domain.raw import get_list
from webhook.domain.raw import get_object
from webhook.domain.raw import get_text
from webhook.manifests.crds import crds

REMEDY = "numagate manifests --overlay crds | kubectl apply --server-side -f -"


def look(facts: Facts) -> Iterator[Result]:
    """Compare the fields of each kind."""
    if facts.from_file:
        return
    if facts.crds.error:
        yield unknown(facts.crds.error)
        return
    for ours in crds():
        name = name_of(ours)
        there = facts.crds.named(name)
        if there is None:
            yield problem(f"{name} is not defined", REMEDY)
        elif differing := sorted(_fields(ours) ^ _fields(there)):
            yield warning(f"{name} is of another version: it differs in {', '.join(differing[:3])}", REMEDY)
        else:
            yield ok(f"{name} is of this version")


def _fields(definition: JsonObject) -> set[str]:
    """Answer the paths of all fields, with the version that has them."""
    found: set[str] = set()
    for version in map(as_object, get_list(get_object(definition, "spec"), "versions")):
        _walk(get_object(version, "schema", "openAPIV3Schema"), get_text(version, "name"), found)
    return found


def _walk(schema: JsonObject, path: str, found: set[str]) -> None:
    for name, member in get_object(schema, "properties").items():
        found.add(f"{path}.{name}")
        _walk(as_object(member), f"{path}.{name}", found)
    for inner in ("items", "additionalProperties"):
        if get_object(schema, inner):
            _walk(get_object(schema, inner), f"{path}[]", found)


PROBE = Probe("kinds", 14, look)
