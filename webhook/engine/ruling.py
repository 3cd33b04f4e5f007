"""Which policy governs a pod, and with which modes."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from webhook.domain import keys
from webhook.domain.claims import NOTHING_KNOWN
from webhook.domain.claims import KnownClaims
from webhook.domain.claims import claimed_by
from webhook.domain.facts import read
from webhook.domain.levels import Modes
from webhook.domain.policy import IMPLICIT
from webhook.domain.policy import Match
from webhook.domain.policy import Policy
from webhook.domain.raw import JsonObject
from webhook.domain.raw import get_object
from webhook.domain.raw import get_text_map
from webhook.domain.selector import LabelSelector
from webhook.domain.topology import NodeClass
from webhook.engine import namespace_levels
from webhook.engine.world import World

NO_POLICY = "no policy matches"
"""Why a pod is not judged that no policy is for."""


@dataclass(frozen=True, slots=True)
class Ruling:
    """What one pod is judged by: the policy that governs it, and its modes in the pod's namespace.

    `claims` is what is known there of claims and device classes.
    """

    policy: Policy
    modes: Modes
    namespace: str
    classes: tuple[NodeClass, ...]
    instant: datetime
    claims: KnownClaims = NOTHING_KNOWN


def rule(pod: JsonObject, namespace: str, world: World) -> Ruling | None:
    """Answer what governs a pod (or a pod template) in `namespace`: the first policy that matches; None without one."""
    labels = world.namespaces.get(namespace, {})
    claims = world.claims.within(namespace)
    for policy in world.policies:
        if why_not(policy.match, pod, namespace, labels, claims) is None:
            return Ruling(
                policy=policy,
                modes=modes_in(namespace, policy, labels),
                namespace=namespace,
                classes=world.classes,
                instant=world.instant,
                claims=claims,
            )
    return None


def modes_in(namespace: str, policy: Policy, labels: Mapping[str, str]) -> Modes:
    """Answer the modes of a policy in a namespace with these labels, as far as the policy lets labels speak."""
    return namespace_levels.apply(policy.modes_for(namespace), labels, policy.overrides)


def may_match_in(match: Match, namespace: str, labels: Mapping[str, str]) -> bool:
    """Tell whether a policy is for pods of a namespace at all; `labels` are those of the namespace."""
    return match.names_namespace(namespace) and _selects(match.namespace_selector, namespace, labels)


def _selects(selector: LabelSelector | None, namespace: str, labels: Mapping[str, str]) -> bool:
    return selector is None or selector.matches({keys.NAMESPACE_NAME: namespace, **labels})


def why_not(
    match: Match, pod: JsonObject, namespace: str, labels: Mapping[str, str], claims: KnownClaims = NOTHING_KNOWN
) -> str | None:
    """Say why a policy is not for this pod, or None where it is; `labels` are those of its namespace."""
    if not match.names_namespace(namespace):
        return f"namespace {namespace} is none of {', '.join(match.namespaces or ())}"
    if not _selects(match.namespace_selector, namespace, labels):
        return f"the labels of namespace {namespace} do not match"
    selector = match.pod_selector
    if selector is not None and not selector.matches(get_text_map(get_object(pod, "metadata"), "labels")):
        return "the labels of the pod do not match"
    if match.accelerators is not None and not match.names_resource(_asked_for(pod, claims)):
        return f"no container asks for {' or '.join(match.accelerators)}"
    return None


def _asked_for(pod: JsonObject, claims: KnownClaims) -> frozenset[str]:
    """Answer the resources that a container of the pod asks for; claimed devices by the name of their class."""
    facts = read(pod)
    claimed = (IMPLICIT + got.device_class for one in facts.containers for got in claimed_by(one, facts, claims))
    return frozenset((*(name for one in facts.containers for name in (*one.requests, *one.limits)), *claimed))
