"""What is known of device classes and of the claims that ask for their devices (dynamic resource allocation).

A pod names its claims; what they ask for stands in other objects. Who has seen those (lint, where they are in its
input) knows which devices a pod will get; a server knows the device classes alone.
"""

from collections.abc import Iterator
from collections.abc import Mapping
from dataclasses import dataclass
from dataclasses import field
from types import MappingProxyType
from typing import Final

from webhook.domain.dra_drivers import CLASS_DRIVERS
from webhook.domain.dra_drivers import CPU_DRIVER
from webhook.domain.dra_drivers import NUMA_NODE
from webhook.domain.dra_drivers import PCIE_ROOT
from webhook.domain.dra_drivers import is_kin
from webhook.domain.pod import Container
from webhook.domain.pod import PodClaim
from webhook.domain.pod import PodFacts
from webhook.domain.policy import IMPLICIT
from webhook.domain.policy import Accelerators
from webhook.domain.topology import NodeClass

_SAME_NUMA_NODE: Final = frozenset({NUMA_NODE, PCIE_ROOT, "dra.net/numaNode", "dra.cpu/numaNodeID"})
"""Attributes that are equal only for devices of one NUMA node; the latter two are older names of the first."""


@dataclass(frozen=True, slots=True)
class DeviceClass:
    """A DeviceClass: the extended resource that it serves ("" for none), and the drivers that it selects by name."""

    name: str
    extended_resource: str = ""
    drivers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class DeviceOption:
    """Devices of one class. `drivers` are those that a selector of the request names; `count` is 1 for "all"."""

    device_class: str
    count: int = 1
    drivers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class DeviceRequest:
    """One request of a claim: the first of its `options` that can be had."""

    name: str
    options: tuple[DeviceOption, ...]


@dataclass(frozen=True, slots=True)
class Constraint:
    """Devices of `requests` (of all, where that is empty) must agree in `attribute`."""

    attribute: str
    requests: tuple[str, ...] = ()

    def covers(self, request: DeviceRequest) -> bool:
        """Tell whether devices of `request` are held to it."""
        return not self.requests or any(name.partition("/")[0] == request.name for name in self.requests)


@dataclass(frozen=True, slots=True)
class Claim:
    """What a ResourceClaim or the claims of a ResourceClaimTemplate ask for."""

    requests: tuple[DeviceRequest, ...]
    constraints: tuple[Constraint, ...] = ()

    def asked_by(self, request: str) -> tuple[DeviceRequest, ...]:
        """Answer the requests that a container gets which names one of them, or "" for all."""
        return tuple(one for one in self.requests if request in {"", one.name})


@dataclass(frozen=True, slots=True)
class Binding:
    """A constraint that keeps devices on one NUMA node: `whole` all of the claim's, `cpus` with CPUs among them."""

    attribute: str
    whole: bool
    cpus: bool


def _nothing() -> Mapping[str, Claim]:
    return MappingProxyType({})


@dataclass(frozen=True, slots=True)
class KnownClaims:
    """What is known in one namespace, by name: device classes, claims, and claim templates."""

    classes: Mapping[str, DeviceClass] = field(default_factory=lambda: MappingProxyType({}))
    claims: Mapping[str, Claim] = field(default_factory=_nothing)
    templates: Mapping[str, Claim] = field(default_factory=_nothing)

    def claim_of(self, pod_claim: PodClaim) -> Claim | None:
        """Answer what a pod's claim asks for, None where that has not been seen."""
        if pod_claim.template:
            return self.templates.get(pod_claim.template)
        return self.claims.get(pod_claim.claim)

    def class_serving(self, resource: str) -> str:
        """Answer the device class that serves an extended resource, "" where none is known to.

        The implicit name of a class tells it; an explicit name may be served by a device plugin on other nodes.
        """
        if resource.startswith(IMPLICIT):
            return resource.removeprefix(IMPLICIT)
        serving = (one.name for one in self.classes.values() if one.extended_resource == resource)
        return min(serving, default="")

    def stand_in(self, resource: str, node_class: NodeClass, table: Accelerators) -> str | None:
        """Answer the resource under which a node class lists the devices of `resource`; None where it has no such.

        Devices of a driver may be listed under the name that its device plugin gives them.
        """
        if resource in node_class.devices:
            return resource
        serving = self.class_serving(resource)
        if not serving:
            return None
        drivers = self.drivers_of(DeviceOption(serving))
        known = self.classes.get(serving)
        if known is not None and known.extended_resource in node_class.devices:
            return known.extended_resource
        kin = (name for name in node_class.devices if any(is_kin(driver, name) for driver in drivers))
        return next(filter(table.includes, kin), None)

    def drivers_of(self, option: DeviceOption) -> tuple[str, ...]:
        """Answer the drivers of the devices; of a class that is not known, the driver that its name usually means."""
        if option.drivers:
            return option.drivers
        known = self.classes.get(option.device_class)
        if known is not None and known.drivers:
            return known.drivers
        return (CLASS_DRIVERS.get(option.device_class, option.device_class),)

    def bindings(self, claim: Claim) -> Iterator[Binding]:
        """Yield each constraint that keeps devices of the claim on one NUMA node."""
        for constraint in claim.constraints:
            covered = [request for request in claim.requests if constraint.covers(request)]
            if constraint.attribute in _SAME_NUMA_NODE and covered:
                cpus = any(CPU_DRIVER in self.drivers_of(option) for one in covered for option in one.options)
                yield Binding(constraint.attribute, whole=len(covered) == len(claim.requests), cpus=cpus)


def claimed_by(container: Container, facts: PodFacts, known: KnownClaims) -> Iterator[DeviceOption]:
    """Yield the devices that a container gets by claims that have been seen; of alternatives the first."""
    named = {one.name: one for one in facts.claims}
    for name, request in container.claims:
        claim = known.claim_of(named[name]) if name in named else None
        for asked in claim.asked_by(request) if claim is not None else ():
            yield from asked.options[:1]


NOTHING_KNOWN: Final = KnownClaims()
"""No class, claim or template has been seen."""


@dataclass(frozen=True, slots=True)
class ClaimCatalog:
    """What is known in a cluster: device classes by name, claims and claim templates by namespace, then name."""

    classes: Mapping[str, DeviceClass] = field(default_factory=lambda: MappingProxyType({}))
    claims: Mapping[str, Mapping[str, Claim]] = field(default_factory=lambda: MappingProxyType({}))
    templates: Mapping[str, Mapping[str, Claim]] = field(default_factory=lambda: MappingProxyType({}))

    def within(self, namespace: str) -> KnownClaims:
        """Answer what pods of a namespace can refer to."""
        return KnownClaims(
            self.classes, self.claims.get(namespace, _nothing()), self.templates.get(namespace, _nothing())
        )
