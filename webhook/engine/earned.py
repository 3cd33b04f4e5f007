"""What a running pod was promised: computed anew from its spec, never taken from its annotation."""

from dataclasses import dataclass
from dataclasses import replace

from webhook.domain import keys
from webhook.domain import numa_nodes
from webhook.domain.expectation import Expectation
from webhook.domain.expectation import decode
from webhook.domain.expectation import expect
from webhook.domain.facts import read
from webhook.domain.levels import Level
from webhook.domain.pod import PodFacts
from webhook.domain.policy import IMPLICIT
from webhook.domain.raw import JsonObject
from webhook.domain.resources import CPU
from webhook.domain.topology import KubeletSettings
from webhook.engine.ruling import Ruling
from webhook.engine.subject import Accelerated
from webhook.engine.subject import accelerators_of


@dataclass(frozen=True, slots=True)
class Earned:
    """The promise that a pod's spec earns, None for a pod without accelerators, and what its annotation claims.

    `forged` says that they disagree. An annotation that cannot be read is forged too: `claimed` is None then. A pod
    that asks for accelerators in init containers alone earns none: those are gone before anyone can look.
    """

    promise: Expectation | None
    claimed: Expectation | None
    forged: bool


def earned(pod: JsonObject, ruling: Ruling, kubelet: KubeletSettings | None) -> Earned:
    """Compute a running pod's promise as admission does, and compare its annotation with it.

    The level, policy and generation of an annotation are information: policies change while pods run, and with them
    what counts as an accelerator. The level decides only with spec.resources, which either the level claimed or this
    node's kubelet pins.
    """
    facts = read(pod)
    text = facts.annotations.get(keys.ALIGNMENT)
    claimed = None if text is None else decode(text)
    accelerators = accelerators_of(facts, ruling.policy.accelerators, ruling.claims)
    forged = text is not None and (claimed is None or _is_forged(claimed, facts, accelerators, ruling))
    if not accelerators and not facts.claims:
        return Earned(None, claimed, forged)
    level = Level.NONE if claimed is None else claimed.reached
    if kubelet is not None and _pins(kubelet, facts):
        level = max(level, Level.EXCLUSIVE)
    promise = _expect(facts, accelerators, ruling, level)
    return Earned(promise if accelerators and promise.containers else None, claimed, forged)


def _pins(kubelet: KubeletSettings, facts: PodFacts) -> bool:
    """Tell whether a kubelet gives containers of a pod with spec.resources CPUs of their own.

    Mirrors CPU/policy_static.go:podGuaranteedCPUs: in pod scope they are of the pod's, if that has a whole number.
    """
    cpu = facts.pod_requests.get(CPU)
    return kubelet.pins_pod_level and not (kubelet.pins_pods_whole and (cpu is None or not cpu.is_whole))


def _is_forged(claimed: Expectation, facts: PodFacts, accelerators: Accelerated, ruling: Ruling) -> bool:
    """Tell whether no admission of this pod can have written a promise.

    One of another policy, or of another generation, may name other resources as accelerators than the one in force: any
    that the pod asks for, as many. The rest is decided by the spec alone.
    """
    if not facts.claims and not any(one.devices for one in claimed.containers.values()):
        return True  # a pod without accelerators is promised nothing
    in_force = (claimed.policy, claimed.generation) == (ruling.policy.name, ruling.policy.generation)
    counted = accelerators if in_force else _asked(facts, claimed)
    ours, theirs = _expect(facts, counted, ruling, claimed.reached), claimed
    if facts.claims:  # what claims ask for stands in objects that this node need not have seen
        ours, theirs = _without_claimed(ours), _without_claimed(theirs)
    return not theirs.same_shape(ours)


def _asked(facts: PodFacts, claimed: Expectation) -> Accelerated:
    """Answer how many a pod asks for of those resources that a promise names as accelerators."""
    return {
        one.name: {
            name: quantity.value
            for name, quantity in {**one.requests, **one.limits}.items()
            if name in claimed.containers[one.name].devices
        }
        for one in facts.containers
        if one.name in claimed.containers
    }


def _expect(facts: PodFacts, accelerators: Accelerated, ruling: Ruling, level: Level) -> Expectation:
    return expect(
        facts,
        accelerators,
        level=level,
        numa_nodes=numa_nodes.asked_for(facts.annotations),
        policy=ruling.policy.name,
        generation=ruling.policy.generation,
    )


def _without_claimed(promise: Expectation) -> Expectation:
    """Leave out devices that a device class stands for, and containers that were promised nothing else."""
    kept = {
        name: replace(one, devices={key: count for key, count in one.devices.items() if not key.startswith(IMPLICIT)})
        for name, one in promise.containers.items()
    }
    return replace(promise, containers={name: one for name, one in kept.items() if one.cpus or one.devices})
