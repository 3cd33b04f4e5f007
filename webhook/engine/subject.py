"""Gathers what the checks are given about one pod."""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial

from webhook.domain import expectation
from webhook.domain import keys
from webhook.domain import numa_nodes
from webhook.domain.check import MAX_CONTAINERS
from webhook.domain.check import MAX_PLACEMENTS
from webhook.domain.check import Subject
from webhook.domain.claims import NOTHING_KNOWN
from webhook.domain.claims import DeviceOption
from webhook.domain.claims import KnownClaims
from webhook.domain.claims import claimed_by
from webhook.domain.fit import fit_each
from webhook.domain.fit import without_devices
from webhook.domain.pod import PodFacts
from webhook.domain.policy import IMPLICIT
from webhook.domain.policy import Accelerators
from webhook.domain.policy import Governs
from webhook.domain.policy import Policy
from webhook.domain.recognition import is_inference
from webhook.domain.resources import COMPUTE
from webhook.domain.scheduling import why_ineligible
from webhook.domain.topology import NodeClass
from webhook.domain.topology import unlike
from webhook.engine import limit_range
from webhook.engine import share
from webhook.engine import suggest

Accelerated = Mapping[str, Mapping[str, int]]
"""Of each container that asks for accelerators: counts by resource name."""


def accelerators_of(facts: PodFacts, table: Accelerators, known: KnownClaims = NOTHING_KNOWN) -> Accelerated:
    """Map each container that asks for accelerators to {resource: count}; a count of zero asks for none.

    What a container gets by claims that are known counts as the resource that names the device class.
    """
    found: dict[str, dict[str, int]] = {}
    for container in facts.containers:
        counts = {
            name: quantity.value
            for name, quantity in {**container.requests, **container.limits}.items()
            if not quantity.is_zero and _counts(name, table, known)
        }
        for option in claimed_by(container, facts, known):
            if table.includes_class(option.device_class, known.drivers_of(option)):
                key = IMPLICIT + option.device_class
                counts[key] = counts.get(key, 0) + option.count
        if counts:
            found[container.name] = counts
    return found


def _counts(resource: str, table: Accelerators, known: KnownClaims) -> bool:
    """Tell whether a resource is an accelerator, by the policy or as one that a device class of accelerators serves."""
    if table.includes(resource):
        return True
    serving = known.class_serving(resource)
    return bool(serving) and table.includes_class(serving, known.drivers_of(DeviceOption(serving)))


def governs(facts: PodFacts, accelerators: Accelerated, policy: Policy) -> bool:
    """Tell whether the policy enforces and repairs the pod; other accelerator pods are only warned about."""
    if not accelerators:
        return False
    if policy.governs is Governs.ACCELERATORS:
        return True
    accelerated = [container for container in facts.containers if container.name in accelerators]
    return is_inference(facts, accelerated, policy.recognition)


def eligible(
    facts: PodFacts,
    accelerators: Accelerated,
    classes: tuple[NodeClass, ...],
    table: Accelerators,
    known: KnownClaims = NOTHING_KNOWN,
) -> tuple[NodeClass, ...]:
    """Answer the classes that the scheduler may choose: they have such accelerators, and the pod may go there.

    An assumed class stays whatever the pod selects, since it stands for an unknown machine.
    """
    resources = {resource for counts in accelerators.values() for resource in counts}
    return tuple(
        node_class
        for node_class in classes
        if all(known.stand_in(resource, node_class, table) for resource in resources)
        and (node_class.assumed or why_ineligible(facts, node_class) is None)
    )


def gather(
    facts: PodFacts, policy: Policy, classes: tuple[NodeClass, ...], known: KnownClaims = NOTHING_KNOWN
) -> Subject:
    """Simulate the pod on each eligible class and collect what the checks read."""
    accelerators = accelerators_of(facts, policy.accelerators, known)
    count = numa_nodes.asked_for(facts.annotations)
    candidates = eligible(facts, accelerators, classes, policy.accelerators, known) if accelerators else ()
    limit = min(MAX_CONTAINERS, MAX_PLACEMENTS // max(1, len(unlike(candidates))))
    crowded = len(facts.containers) > limit
    candidates = () if crowded else candidates
    names = _asked_of_plugins(accelerators)
    fits = tuple(
        one if _sees(one.node_class, names) else without_devices(one)
        for one in fit_each(facts, candidates, accelerators, count)
    )
    helpers = [one for one in facts.containers if one.name not in accelerators and not crowded]
    subject = Subject(
        facts=facts,
        policy=policy,
        accelerators=accelerators,
        by_limit_range=_by_limit_range(facts, accelerators),
        numa_nodes=count,
        fits=fits,
        shares={},
        helper_values={container.name: share.helper_values(container, policy.repair) for container in helpers},
        most_containers=limit,
        claims=known,
    )
    if all(_sees(one, names) for one in candidates):
        subject = replace(subject, remedies=partial(_remedies, subject, classes))
    if not any(subject.chosen(one, resource) == (None, None) for one in subject.mains for resource in COMPUTE):
        return subject
    trusted = tuple(one for one in candidates if one.trusted)
    listed = _listed(accelerators, trusted, policy.accelerators, known)
    return replace(subject, shares=share.fair_shares(facts, listed, trusted, policy.repair, count))


def _asked_of_plugins(accelerators: Accelerated) -> frozenset[str] | None:
    """Answer the devices that device plugins may have; None where one of them is never theirs."""
    names = frozenset(name for counts in accelerators.values() for name in counts)
    return None if any(name.startswith(IMPLICIT) for name in names) else names


def _sees(node_class: NodeClass, names: frozenset[str] | None) -> bool:
    """Tell whether the kubelets of a class have all these devices from device plugins."""
    return names is not None and names <= node_class.devices.keys()


def _listed(
    accelerators: Accelerated, classes: tuple[NodeClass, ...], table: Accelerators, known: KnownClaims
) -> Accelerated:
    """Count accelerators by the names under which the first class lists them, where any does."""
    if not classes or _sees(classes[0], _asked_of_plugins(accelerators)):
        return accelerators
    return {
        container: {known.stand_in(name, classes[0], table) or name: count for name, count in counts.items()}
        for container, counts in accelerators.items()
    }


def _remedies(subject: Subject, classes: tuple[NodeClass, ...]) -> tuple[str, ...]:
    return suggest.remedies(suggest.misfit_of(subject, classes))


def _by_limit_range(facts: PodFacts, accelerators: Accelerated) -> frozenset[tuple[str, str, str]]:
    """Read which values LimitRanger filled in, from the annotation that it leaves.

    A pod with a promise that its spec earns has been through the mutating pass, which chose values in their place.
    """
    promise = expectation.decode(facts.annotations.get(keys.ALIGNMENT, ""))
    if promise is not None:
        earned = expectation.containers_of(facts, accelerators, promise.reached)
        if promise.containers == earned:
            return frozenset()
    return frozenset(limit_range.filled_in(facts.annotations.get(keys.LIMIT_RANGER, "")))
