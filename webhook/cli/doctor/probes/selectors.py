"""Is what the cluster and numagate themselves need kept away from numagate?"""

from collections.abc import Iterator

from webhook.cli.doctor.facts import Facts
from webhook.cli.doctor.probes._entries import grouped
from webhook.cli.doctor.probes.configurations import APPLY
from webhook.cli.doctor.result import Probe
from webhook.cli.doctor.result import Result
from webhook.cli.doctor.result import ok
from webhook.cli.doctor.result import problem
from webhook.domain import keys
from webhook.domain.raw import JsonObject
from webhook.domain.raw import as_object
from webhook.domain.raw import get_list
from webhook.domain.raw import get_object
from webhook.domain.raw import get_text
from webhook.domain.raw import get_texts
from webhook.manifests.webhooks import ALWAYS_EXCLUDED


def look(facts: Facts) -> Iterator[Result]:
    """Look for both namespaces in every selector."""
    if not facts.entries:
        return
    needed = (*ALWAYS_EXCLUDED, facts.namespace)
    found = [
        (get_text(entry, "name"), name) for entry in facts.entries for name in needed if name not in _left_out(entry)
    ]
    for told in grouped(
        (name, f"asked about namespace {place}: a failure there mends nothing") for name, place in found
    ):
        yield problem(told, APPLY)
    if not found:
        yield ok(f"no entry is asked about {' or '.join(needed)}")


def _left_out(entry: JsonObject) -> set[str]:
    expressions = map(as_object, get_list(get_object(entry, "namespaceSelector"), "matchExpressions"))
    return {
        name
        for one in expressions
        if one.get("key") == keys.NAMESPACE_NAME and one.get("operator") == "NotIn"
        for name in get_texts(one, "values")
    }


PROBE = Probe("selectors", 8, look)
