"""Are at least two serving replicas ready, and does a drain leave some?"""

from collections.abc import Iterator
from typing import Final

from webhook.cli.doctor.facts import LABEL
from webhook.cli.doctor.facts import NAME
from webhook.cli.doctor.facts import Facts
from webhook.cli.doctor.facts import label_of
from webhook.cli.doctor.facts import name_of
from webhook.cli.doctor.facts import url_of
from webhook.cli.doctor.probes.configurations import APPLY
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

ENOUGH: Final = 2
SERVICE: Final = "kubernetes.io/service-name"


def look(facts: Facts) -> Iterator[Result]:
    """Count the ready endpoints of the Service."""
    if facts.slices.error:
        yield unknown(facts.slices.error)
    elif not any(url_of(entry) for entry in facts.entries):
        yield _count(facts)
    if facts.budgets.error:
        yield unknown(facts.budgets.error)
    elif facts.budgets.named(NAME) is None:
        yield warning(f"there is no PodDisruptionBudget {NAME}: a drain may take all replicas at once", APPLY)


def _count(facts: Facts) -> Result:
    slices = [one for one in facts.slices.items if label_of(one, SERVICE) == NAME]
    ready = sum(map(_is_ready, (as_object(end) for one in slices for end in get_list(one, "endpoints"))))
    if ready >= ENOUGH:
        return ok(f"{ready} replicas are ready")
    text = f"{ready or 'no'} {'replica is' if ready == 1 else 'replicas are'} ready"
    reasons = "; ".join(sorted({why for pod in facts.pods.items if (why := _waits_for(pod))}))
    remedy = f"kubectl -n {facts.namespace} describe pods -l {LABEL}={NAME}"
    return problem(f"{text}: {reasons}" if reasons else text, remedy)


def _is_ready(endpoint: JsonObject) -> bool:
    return get_object(endpoint, "conditions").get("ready") is not False and bool(get_list(endpoint, "addresses"))


def _waits_for(pod: JsonObject) -> str:
    """Say why a serving pod is not ready, as far as its status tells."""
    if label_of(pod, LABEL) != NAME:
        return ""
    for status in map(as_object, get_list(get_object(pod, "status"), "containerStatuses")):
        if reason := get_text(get_object(status, "state", "waiting"), "reason"):
            return f"{name_of(pod)} waits: {reason}"
    for condition in map(as_object, get_list(get_object(pod, "status"), "conditions")):
        if condition.get("type") == "PodScheduled" and condition.get("status") == "False":
            return f"{name_of(pod)} is not scheduled: {get_text(condition, 'message')}"
    return ""


PROBE = Probe("replicas", 4, look)
