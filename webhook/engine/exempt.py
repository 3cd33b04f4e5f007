"""Who is not judged: namespaces, requesters, runtime classes, mirror pods, and pods with a reason."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from webhook.domain import instant
from webhook.domain import keys
from webhook.domain.finding import Finding
from webhook.domain.finding import Severity
from webhook.domain.levels import Level
from webhook.domain.pointer import Path
from webhook.domain.policy import ExemptionRule
from webhook.domain.raw import JsonObject
from webhook.domain.raw import get_list
from webhook.domain.raw import get_object
from webhook.domain.raw import get_text
from webhook.domain.raw import get_text_map
from webhook.engine.request import Request
from webhook.engine.ruling import Ruling

EXPIRED = "expired-exemption"
IGNORED = "ignored-exemption"
SYSTEM_NAMESPACE = "kube-system"
"""Its pods must start without us, whatever a policy says."""

_NODES_GROUP = "system:nodes"


@dataclass(frozen=True, slots=True)
class Exemption:
    """Why something is not judged: `by` is one of a few words, `reason` what a person gave, "" where nobody did."""

    by: str
    reason: str = ""
    until: datetime | None = None


@dataclass(frozen=True, slots=True)
class Requester:
    """Who makes the request; nobody in particular where manifests are judged."""

    user: str = ""
    groups: tuple[str, ...] = ()


NOBODY = Requester()


def requester_of(request: Request) -> Requester:
    """Answer who makes the request."""
    return Requester(request.username, request.groups)


def why_exempt_always(namespace: str, own_namespace: str) -> Exemption | None:
    """Answer why no policy may reach into `namespace`; None where one may."""
    if namespace in {SYSTEM_NAMESPACE, own_namespace}:
        return Exemption("always", "it must start without numagate")
    return None


def why_mirror(request: Request) -> Exemption | None:
    """Know a mirror pod by all three signs; one of them alone could be written by anyone."""
    metadata = get_object(request.object or {}, "metadata")
    owned = any(get_text(owner, "kind") == "Node" for owner in get_list(metadata, "ownerReferences"))
    if owned and _NODES_GROUP in request.groups and keys.MIRROR in get_object(metadata, "annotations"):
        return Exemption("mirror pod")
    return None


def why_exempt(pod: JsonObject, ruling: Ruling, requester: Requester = NOBODY) -> Exemption | None:
    """Answer the first rule of the policy that exempts the pod or its requester at this instant."""
    for rule in ruling.policy.exemptions.rules:
        by = _named(rule, pod, ruling.namespace, requester)
        if by and rule.holds_at(ruling.instant):
            return Exemption(by, rule.reason, rule.until)
    return None


def why_pod_exempt(pod: JsonObject, ruling: Ruling) -> Exemption | None:
    """Answer why the pod is neither repaired nor refused by its own wish, where the policy honours that.

    Such a pod earns no promise: an annotation that it brings is removed, a level label refused.
    """
    reason, until = _wish(pod, ruling)
    if not reason:
        return None
    end = instant.parse(until or "")
    if until is not None and (end is None or end <= ruling.instant):
        return None
    return Exemption("pod", reason, end)


def ineffective(pod: JsonObject, ruling: Ruling, requester: Requester = NOBODY) -> Iterator[Finding]:
    """Warn of each exemption that does not hold here: its time is over, or the policy does not honour it."""
    for rule in ruling.policy.exemptions.rules:
        by = _named(rule, pod, ruling.namespace, requester)
        if by and rule.until is not None and not rule.holds_at(ruling.instant):
            ended = f"{rule.until:%Y-%m-%dT%H:%M:%SZ}"
            message = f"the exemption by {by} in policy {ruling.policy.name} ended at {ended}: ask for a new one"
            yield _finding(("metadata", "namespace"), message, ended)
    reason, until = _wish(pod, ruling)
    if not ruling.policy.exemptions.pods and _asks(pod):
        message = f"{keys.EXEMPT} has no effect: policy {ruling.policy.name} does not honour it on pods"
        yield _finding(("metadata", "annotations", keys.EXEMPT), message, None, code=IGNORED)
    if reason and until is not None and why_pod_exempt(pod, ruling) is None:
        ended = until[:40]
        what = "is over" if instant.parse(until) else "is no instant like 2027-01-31T00:00:00Z"
        message = f"{keys.EXEMPT_UNTIL} {ended!r} {what}, so the exemption does not hold"
        yield _finding(("metadata", "annotations", keys.EXEMPT_UNTIL), message, ended)


def _named(rule: ExemptionRule, pod: JsonObject, namespace: str, requester: Requester) -> str:
    if rule.names_namespace(namespace):
        return "namespace"
    if requester.user in rule.users:
        return "user"
    if set(requester.groups) & set(rule.groups):
        return "group"
    return "runtime class" if rule.names_runtime_class(get_text(get_object(pod, "spec"), "runtimeClassName")) else ""


def _wish(pod: JsonObject, ruling: Ruling) -> tuple[str, str | None]:
    """Answer reason and end of the exemption that the pod asks for; "" where it asks for none that counts."""
    annotations = get_text_map(get_object(pod, "metadata"), "annotations")
    return _asks(pod) if ruling.policy.exemptions.pods else "", annotations.get(keys.EXEMPT_UNTIL)


def _asks(pod: JsonObject) -> str:
    return get_text_map(get_object(pod, "metadata"), "annotations").get(keys.EXEMPT, "").strip()


def _finding(path: Path, message: str, actual: str | None, *, code: str = EXPIRED) -> Finding:
    return Finding(code, Severity.WARNING, Level.NONE, path, message, actual=actual)
