"""Gathers what the checks are given about one pod."""

import re
from collections.abc import Mapping

from webhook.domain import keys
from webhook.domain import numa_nodes
from webhook.domain.check import Subject
from webhook.domain.fit import fit
from webhook.domain.pod import PodFacts
from webhook.domain.policy import Accelerators
from webhook.domain.policy import Policy
from webhook.domain.scheduling import why_ineligible
from webhook.domain.topology import NodeClass
from webhook.engine import share
from webhook.engine import suggest

_FILLED = re.compile(r"([\w./-]+(?:, [\w./-]+)*) (request|limit) for (?:init )?container ([a-z0-9-]+)", re.ASCII)
"""One clause of the LimitRanger annotation (plugin/pkg/admission/limitranger:mergeContainerResources)."""


def accelerators_of(facts: PodFacts, table: Accelerators) -> Mapping[str, Mapping[str, int]]:
    """Map each container that asks for accelerators to {resource: count}; a count of zero asks for none."""
    found: dict[str, dict[str, int]] = {}
    for container in facts.containers:
        counts = {
            name: quantity.value
            for name, quantity in {**container.requests, **container.limits}.items()
            if not quantity.is_zero and table.includes(name)
        }
        if counts:
            found[container.name] = counts
    return found


def eligible(
    facts: PodFacts, accelerators: Mapping[str, Mapping[str, int]], classes: tuple[NodeClass, ...]
) -> tuple[NodeClass, ...]:
    """Answer the classes that the scheduler may choose: they have such accelerators, and the pod may go there.

    An assumed class stays whatever the pod selects, since it stands for an unknown machine.
    """
    resources = {resource for counts in accelerators.values() for resource in counts}
    return tuple(
        node_class
        for node_class in classes
        if resources <= node_class.devices.keys() and (node_class.assumed or why_ineligible(facts, node_class) is None)
    )


def gather(facts: PodFacts, policy: Policy, classes: tuple[NodeClass, ...]) -> Subject:
    """Simulate the pod on each eligible class and collect what the checks read."""
    accelerators = accelerators_of(facts, policy.accelerators)
    count = numa_nodes.asked_for(facts.annotations)
    by_limit_range = _by_limit_range(facts)
    candidates = eligible(facts, accelerators, classes) if accelerators else ()
    fits = tuple(fit(facts, node_class, accelerators, count) for node_class in candidates)
    helper_values = {
        container.name: share.helper_values(container, policy.repair)
        for container in facts.containers
        if container.name not in accelerators
    }
    return Subject(
        facts=facts,
        policy=policy,
        accelerators=accelerators,
        by_limit_range=by_limit_range,
        numa_nodes=count,
        fits=fits,
        shares=share.fair_shares(facts, accelerators, candidates, policy.repair, count),
        helper_values=helper_values,
        remedies=suggest.remedies(facts, accelerators, candidates, fits),
    )


def _by_limit_range(facts: PodFacts) -> frozenset[tuple[str, str, str]]:
    """Read which values LimitRanger filled in, from the annotation that it leaves.

    A pod that carries the promise has been through the mutating pass, which chose values in their place.
    """
    if keys.ALIGNMENT in facts.annotations:
        return frozenset()
    text = facts.annotations.get(keys.LIMIT_RANGER, "")
    return frozenset(
        (container, side + "s", resource)
        for resources, side, container in _FILLED.findall(text[:16384])
        for resource in resources.split(", ")
    )
