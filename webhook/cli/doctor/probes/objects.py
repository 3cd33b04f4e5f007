"""Is every policy and profile object in force?"""

from collections.abc import Iterator

from webhook.cli.doctor.facts import Facts
from webhook.cli.doctor.facts import name_of
from webhook.cli.doctor.result import Probe
from webhook.cli.doctor.result import Result
from webhook.cli.doctor.result import ok
from webhook.cli.doctor.result import problem
from webhook.cli.doctor.result import unknown
from webhook.cli.doctor.result import warning
from webhook.domain.api import POLICIES
from webhook.domain.api import PROFILES
from webhook.domain.raw import JsonObject
from webhook.domain.raw import as_object
from webhook.domain.raw import get_list
from webhook.domain.raw import get_object
from webhook.domain.raw import get_text


def look(facts: Facts) -> Iterator[Result]:
    """Read the condition of each."""
    if facts.from_file:
        return
    for plural, many in ((POLICIES, facts.policies), (PROFILES, facts.profiles)):
        if many.error:
            yield unknown(many.error)
            continue
        refused = [(name_of(one), why) for one in many.items if (why := _why_not(one))]
        for name, why in refused:
            yield problem(f"{plural}/{name} is not in force: {why}", f"kubectl edit {plural} {name}")
        waiting = [name_of(one) for one in many.items if not _condition(one)]
        if waiting:
            yield warning(
                f"{plural}/{waiting[0]} was not looked at by a controller",
                "see that one leads: numagate doctor, leader",
            )
        if not refused and not waiting:
            yield ok(f"{plural}: all {len(many.items)} are in force")


def _condition(found: JsonObject) -> JsonObject:
    conditions = map(as_object, get_list(get_object(found, "status"), "conditions"))
    return next((one for one in conditions if one.get("type") == "Accepted"), {})


def _why_not(found: JsonObject) -> str:
    condition = _condition(found)
    refused = condition.get("status") == "False"
    return get_text(condition, "message") or "the controller does not say why" if refused else ""


PROBE = Probe("objects", 15, look)
