"""Which policy a running pod is judged by, or why none is."""

from dataclasses import dataclass
from typing import Final

from webhook.domain.raw import JsonObject
from webhook.domain.raw import get_object
from webhook.domain.raw import get_text
from webhook.engine.earned import earned
from webhook.engine.exempt import Exemption
from webhook.engine.exempt import why_exempt
from webhook.engine.exempt import why_exempt_always
from webhook.engine.exempt import why_pod_exempt
from webhook.engine.ruling import NO_POLICY
from webhook.engine.ruling import Ruling
from webhook.engine.ruling import rule
from webhook.engine.ruling import why_not
from webhook.engine.world import World

_MOST_POLICIES: Final = 2


@dataclass(frozen=True, slots=True)
class Governed:
    """What a pod is judged by; None, and why, where it is exempt or no policy is for it."""

    ruling: Ruling | None
    why: str = ""


def governed(pod: JsonObject, world: World) -> Governed:
    """Find what a pod is judged by."""
    namespace = get_text(get_object(pod, "metadata"), "namespace")
    always = why_exempt_always(namespace, world.own_namespace)
    if always is not None:
        return Governed(None, f"namespace {namespace} is exempt: {always.reason}")
    ruling = rule(pod, namespace, world)
    if ruling is None:
        return Governed(None, _no_policy(pod, namespace, world))
    exempt = why_exempt(pod, ruling) or why_pod_exempt(pod, ruling)
    return Governed(ruling) if exempt is None else Governed(None, _told(exempt, ruling))


def why_no_promise(pod: JsonObject, world: World) -> str:
    """Say why a pod is promised nothing, "" where it is promised something."""
    found = governed(pod, world)
    if found.ruling is None:
        return found.why
    return "" if earned(pod, found.ruling, None).promise is not None else "it asks for no accelerators"


def _no_policy(pod: JsonObject, namespace: str, world: World) -> str:
    labels, claims = world.namespaces.get(namespace, {}), world.claims.within(namespace)
    asked = [f"{one.name}: {why_not(one.match, pod, namespace, labels, claims)}" for one in world.policies]
    more = [f"and {len(asked) - _MOST_POLICIES} more"] if len(asked) > _MOST_POLICIES else []
    return f"{NO_POLICY} ({'; '.join([*asked[:_MOST_POLICIES], *more]) or 'there is none'})"


def _told(exempt: Exemption, ruling: Ruling) -> str:
    by = "its annotation" if exempt.by == "pod" else f"its {exempt.by}"
    return f"policy {ruling.policy.name} exempts it by {by}" + (f": {exempt.reason}" if exempt.reason else "")
