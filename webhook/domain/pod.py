"""Facts of a pod: what the checks and the simulation read instead of the raw object.

`facts.read` makes them from a raw object. Quantities are as the API server would have defaulted them.
"""

from collections.abc import Iterator
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

from webhook.domain.finding import Finding
from webhook.domain.pointer import Path
from webhook.domain.quantity import Quantity


class ContainerKind(Enum):
    """How the kubelet treats a container."""

    INIT = "init"
    """Runs to its end before the next starts."""
    SIDECAR = "sidecar"
    """An init container with restartPolicy Always."""
    APP = "app"


class QOSClass(Enum):
    """The pod's quality-of-service class."""

    GUARANTEED = "Guaranteed"
    BURSTABLE = "Burstable"
    BEST_EFFORT = "BestEffort"


@dataclass(frozen=True, slots=True)
class PodClaim:
    """An entry of spec.resourceClaims: the ResourceClaim or the ResourceClaimTemplate that it names, the other ""."""

    name: str
    claim: str
    template: str


@dataclass(frozen=True, slots=True)
class Container:
    """One init container, sidecar or app container; `requests` and `limits` by resource name, defaulted.

    `claims` are pairs of a pod claim's name and the request in it that the container uses, "" for all.
    """

    name: str
    kind: ContainerKind
    path: Path
    image: str
    command: tuple[str, ...]
    requests: Mapping[str, Quantity]
    limits: Mapping[str, Quantity]
    claims: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Toleration:
    """A toleration of the pod; empty `key` or `effect` means any."""

    key: str
    operator: str
    value: str
    effect: str


@dataclass(frozen=True, slots=True)
class Requirement:
    """One requirement of a node selector term; `field` marks matchFields."""

    key: str
    operator: str
    values: tuple[str, ...]
    field: bool = False


@dataclass(frozen=True, slots=True)
class PodFacts:
    """What is decided from. `containers` are in the kubelet's order: init containers and sidecars, then app ones.

    `resources_set` is RH:IsPodLevelResourcesSet; `pod_requests` and `pod_limits` are spec.resources, defaulted.
    `affinity_terms` is required node affinity (terms ORed, requirements ANDed); None where there is none.
    `created` marks a pod that has met the API server: no mutation will change it any more.
    """

    labels: Mapping[str, str]
    annotations: Mapping[str, str]
    containers: tuple[Container, ...]
    pod_requests: Mapping[str, Quantity]
    pod_limits: Mapping[str, Quantity]
    resources_set: bool
    qos: QOSClass
    overhead: Mapping[str, Quantity]
    node_selector: Mapping[str, str]
    affinity_terms: tuple[tuple[Requirement, ...], ...] | None
    tolerations: tuple[Toleration, ...]
    runtime_class: str
    claims: tuple[PodClaim, ...]
    shm_limits: tuple[tuple[Path, Quantity], ...]
    created: bool
    unreadable: tuple[Finding, ...]

    def of_kind(self, *kinds: ContainerKind) -> Iterator[Container]:
        """Iterate over the containers of `kinds`, in the kubelet's order."""
        return (container for container in self.containers if container.kind in kinds)
