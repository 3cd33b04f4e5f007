"""Are the policies there that guard the labels of namespaces, and bound?"""

from collections.abc import Iterator

from webhook.cli.doctor.facts import Facts
from webhook.cli.doctor.facts import name_of
from webhook.cli.doctor.probes.configurations import APPLY
from webhook.cli.doctor.result import Probe
from webhook.cli.doctor.result import Result
from webhook.cli.doctor.result import ok
from webhook.cli.doctor.result import problem
from webhook.cli.doctor.result import unknown
from webhook.domain.raw import get_object
from webhook.domain.raw import get_text
from webhook.manifests.guard import guard
from webhook.manifests.level_guard import level_guard

POLICY = "ValidatingAdmissionPolicy"


def look(facts: Facts) -> Iterator[Result]:
    """Look for each by name."""
    if error := facts.guards.error or facts.bindings.error:
        yield unknown(error)
        return
    names = [name_of(one) for one in (*guard(), *level_guard()) if one["kind"] == POLICY]
    bound = {
        get_text(get_object(one, "spec"), "policyName")
        for one in facts.bindings.items
        if "Deny" in (get_object(one, "spec").get("validationActions") or ())  # type: ignore[operator]  # a list
    }
    for name in names:
        if facts.guards.named(name) is None:
            yield problem(f"{POLICY} {name} is missing: labels of namespaces are not guarded", APPLY)
        elif name not in bound:
            yield problem(f"{POLICY} {name} is not bound with Deny: it does nothing", APPLY)
    if bound.issuperset(names) and all(facts.guards.named(name) for name in names):
        yield ok(f"{' and '.join(names)} are bound")


PROBE = Probe("guards", 16, look)
