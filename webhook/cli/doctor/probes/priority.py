"""May pods of numagate's namespace have the priority of what a cluster cannot do without?"""

from collections.abc import Iterator

from webhook.cli.doctor.facts import Facts
from webhook.cli.doctor.probes.configurations import APPLY
from webhook.cli.doctor.result import Probe
from webhook.cli.doctor.result import Result
from webhook.cli.doctor.result import ok
from webhook.cli.doctor.result import unknown
from webhook.cli.doctor.result import warning
from webhook.domain.raw import JsonObject
from webhook.domain.raw import as_object
from webhook.domain.raw import get_list
from webhook.domain.raw import get_object
from webhook.domain.raw import get_texts
from webhook.manifests.pods import PRIORITY


def look(facts: Facts) -> Iterator[Result]:
    """Look for a quota that allows it: some clusters admit the class under one only."""
    if facts.quotas.error:
        yield unknown(facts.quotas.error)
    elif any(map(_allows, facts.quotas.items)):
        yield ok(f"a quota allows {PRIORITY}")
    else:
        yield warning(f"no ResourceQuota allows {PRIORITY}: some clusters refuse the pods without one", APPLY)


def _allows(quota: JsonObject) -> bool:
    expressions = map(as_object, get_list(get_object(quota, "spec", "scopeSelector"), "matchExpressions"))
    return any(one.get("scopeName") == "PriorityClass" and PRIORITY in get_texts(one, "values") for one in expressions)


PROBE = Probe("priority", 18, look)
