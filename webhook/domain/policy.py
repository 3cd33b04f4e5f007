"""The policy: who is governed, up to which level, and what repairs may write."""

import re
from collections.abc import Iterable
from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import dataclass
from dataclasses import replace
from datetime import datetime
from enum import Enum
from fnmatch import fnmatchcase
from fnmatch import translate
from functools import lru_cache

from webhook.domain.levels import Level
from webhook.domain.levels import Modes
from webhook.domain.quantity import Quantity
from webhook.domain.selector import LabelSelector
from webhook.domain.workload import Workload


class Governs(Enum):
    """Which accelerator pods the policy enforces and repairs."""

    INFERENCE = "inference"
    ACCELERATORS = "accelerators"


class Answer(Enum):
    """What the policy says where the topology leaves the question open."""

    ALLOW = "allow"
    WARN = "warn"
    DENY = "deny"


class Classes(Enum):
    """How many of the eligible node classes must take the pod."""

    ANY = "any"
    ALL = "all"


IMPLICIT = "deviceclass.resource.kubernetes.io/"
"""A resource of this domain asks for devices of the class that it names (KEP-5004)."""


@dataclass(frozen=True, slots=True)
class Accelerators:
    """Which extended resources count as accelerators; `*` in a pattern stands for any text.

    `never` is tested first: memory, cores and percentages of a device are no count, and a NIC is no accelerator.
    `device_classes` are the classes, or the drivers of classes, whose devices are accelerators.
    """

    count: tuple[str, ...]
    never: tuple[str, ...]
    device_classes: tuple[str, ...] = ()

    @property
    def resources(self) -> tuple[str, ...]:
        """The patterns of all resources that count: of devices by name, and of device classes by their implicit one."""
        return (*self.count, *(IMPLICIT + pattern for pattern in self.device_classes))

    def includes(self, resource: str) -> bool:
        """Tell whether one unit of `resource` is one accelerator."""
        if _any_of(self.never).match(resource) is not None:
            return False
        if resource.startswith(IMPLICIT):
            return _any_of(self.device_classes).match(resource.removeprefix(IMPLICIT)) is not None
        return _any_of(self.count).match(resource) is not None

    def includes_class(self, device_class: str, drivers: Iterable[str]) -> bool:
        """Tell whether a device of a class with these drivers is an accelerator."""
        return any(_any_of(self.device_classes).match(name) for name in (device_class, *drivers))


@lru_cache(maxsize=64)
def _any_of(patterns: tuple[str, ...]) -> re.Pattern[str]:
    """Compile patterns into one expression; an empty list matches nothing."""
    return re.compile("|".join(map(translate, patterns)) or r"(?!)")


@dataclass(frozen=True, slots=True)
class Recognition:
    """How an inference pod is known; see `recognition` for how each table is compared.

    `labels` maps a label key to the values that count; an empty tuple means any value.
    `runtime_classes` and `accelerator_selectors` only hint that a pod without accelerators expects one.
    """

    images: tuple[str, ...]
    image_paths: tuple[str, ...]
    never_gpu_images: tuple[str, ...]
    commands: tuple[str, ...]
    labels: Mapping[str, tuple[str, ...]]
    runtime_classes: tuple[str, ...]
    accelerator_selectors: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class HelperDefault:
    """CPU and memory for helpers whose container name or image matches one of the patterns; a name for the warning."""

    name: str
    containers: tuple[str, ...]
    images: tuple[str, ...]
    cpu: Quantity
    memory: Quantity

    def names(self, container: str) -> bool:
        """Tell whether a container of this name is meant."""
        return _any_of(self.containers).match(container) is not None


@dataclass(frozen=True, slots=True)
class RepairRules:
    """What a repair may write.

    `share` (CPU, memory per accelerator) is used where no topology is known; None means that missing values are denied.
    `helper_fallback` None means that a helper without values is denied with the snippet to write.
    """

    fair_share: bool
    headroom_cpu: Quantity
    headroom_memory: Quantity
    share: tuple[Quantity, Quantity] | None
    helpers: tuple[HelperDefault, ...]
    helper_fallback: HelperDefault | None


@dataclass(frozen=True, slots=True)
class NamespaceModes:
    """Modes for the namespaces whose name matches one of `patterns`; the first match wins."""

    patterns: tuple[str, ...]
    modes: Modes


@dataclass(frozen=True, slots=True)
class ExemptionRule:
    """Who is not governed, why, and until when; None means for good.

    `namespaces` and `runtime_classes` are patterns. `users` and `groups` concern the requester only.
    """

    reason: str
    until: datetime | None = None
    namespaces: tuple[str, ...] = ()
    users: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()
    runtime_classes: tuple[str, ...] = ()

    def holds_at(self, instant: datetime) -> bool:
        """Tell whether the rule still holds at `instant`."""
        return self.until is None or instant < self.until

    def names_namespace(self, namespace: str) -> bool:
        """Tell whether a pattern of the rule names `namespace`."""
        return any(fnmatchcase(namespace, pattern) for pattern in self.namespaces)

    def names_runtime_class(self, runtime_class: str) -> bool:
        """Tell whether a pattern of the rule names `runtime_class`; "" is the absence of one."""
        return bool(runtime_class) and any(fnmatchcase(runtime_class, pattern) for pattern in self.runtime_classes)


@dataclass(frozen=True, slots=True)
class Exemptions:
    """Who is not governed, by the rules of the policy; `pods` honours the annotations on pods as well."""

    rules: tuple[ExemptionRule, ...]
    pods: bool

    @property
    def lasting_namespaces(self) -> tuple[str, ...]:
        """The patterns of namespaces that are exempt for good."""
        return tuple(dict.fromkeys(name for rule in self.rules if rule.until is None for name in rule.namespaces))


@dataclass(frozen=True, slots=True)
class Verification:
    """What the policy asks of running pods, on their node, and whether their readiness waits for the answer.

    `local_memory_percent` is the least share of a container's anonymous, heap, stack and huge pages that lies on its
    NUMA nodes. `settle_seconds` is how long after its start a container is not judged yet: the kubelet takes up to its
    reconcile period, 10 s by default, to move other containers away from CPUs that it has given out. `readiness_gate`
    lets pods be ready only once they were found aligned; `unknown_is_ready` says what counts where that cannot be told.
    """

    local_memory_percent: int = 99
    settle_seconds: int = 30
    readiness_gate: bool = False
    unknown_is_ready: bool = True


class Override(Enum):
    """What the label of a namespace may do to a mode."""

    NONE = "none"
    """Nothing: the label has no effect."""
    RAISE = "raise"
    """Raise its level, never lower it."""
    ANY = "any"
    """Set its level."""


@dataclass(frozen=True, slots=True)
class Overrides:
    """What the labels of a namespace may do to each mode."""

    enforce: Override = Override.RAISE
    repair: Override = Override.RAISE
    warn: Override = Override.RAISE
    audit: Override = Override.RAISE


@dataclass(frozen=True, slots=True)
class Match:
    """Which pods a policy is for: everything that is not None must match.

    `accelerators` and `namespaces` are patterns: one of them must match one resource that the pod asks for, or the name
    of its namespace. The selectors read the labels of the namespace and of the pod.
    """

    accelerators: tuple[str, ...] | None = None
    namespaces: tuple[str, ...] | None = None
    namespace_selector: LabelSelector | None = None
    pod_selector: LabelSelector | None = None

    def names_namespace(self, namespace: str) -> bool:
        """Tell whether the policy is for pods of a namespace with this name."""
        return self.namespaces is None or any(fnmatchcase(namespace, pattern) for pattern in self.namespaces)

    def __str__(self) -> str:
        """Write what must match for people."""
        parts = [
            f"pods that ask for {' or '.join(self.accelerators)}" if self.accelerators is not None else "",
            f"namespaces {', '.join(self.namespaces)}" if self.namespaces is not None else "",
            f"namespaces with {self.namespace_selector}" if self.namespace_selector is not None else "",
            f"pods with {self.pod_selector}" if self.pod_selector is not None else "",
        ]
        return " and ".join(filter(None, parts)) or "everything"

    def names_resource(self, resources: Iterable[str]) -> bool:
        """Tell whether the policy is for pods that ask for these resources."""
        return self.accelerators is None or any(map(_any_of(self.accelerators).match, resources))


EVERYTHING = Match()
"""What a policy without `match` is for."""


@dataclass(frozen=True, slots=True)
class Policy:
    """One AlignmentPolicy document, checked; `generation` names its content.

    Where several match a pod, `order` decides. `min_reporting_nodes` is how many nodes must report a topology before it
    may deny or repair. `verification` is for the node side. `workloads` are kinds of its own, beside those that
    numagate knows.
    """

    name: str
    generation: str
    priority: int
    match: Match
    governs: Governs
    modes: Modes
    namespaces: tuple[NamespaceModes, ...]
    overrides: Overrides
    classes: Classes
    on_unknown: Answer
    on_unenforced: Answer
    min_reporting_nodes: int
    accelerators: Accelerators
    recognition: Recognition
    repair: RepairRules
    exemptions: Exemptions
    verification: Verification = Verification()
    workloads: tuple[Workload, ...] = ()

    def modes_for(self, namespace: str) -> Modes:
        """Answer the modes that hold in `namespace`."""
        for entry in self.namespaces:
            if any(fnmatchcase(namespace, pattern) for pattern in entry.patterns):
                return entry.modes
        return self.modes

    @property
    def order(self) -> tuple[int, bool, str]:
        """What policies are sorted by: the highest priority first, then those with a `match`, then by name."""
        return -self.priority, self.match == EVERYTHING, self.name


OFF = Modes(enforce=Level.NONE, repair=Level.NONE, warn=Level.NONE, audit=Level.NONE)
"""Every mode switched off."""


def accelerators_of_all(policies: Iterable[Policy]) -> Accelerators:
    """Answer what any of the policies takes for an accelerator, and no accelerators where there is no policy."""
    every = [policy.accelerators for policy in policies]
    never = set.intersection(*(set(one.never) for one in every)) if every else set()
    return Accelerators(
        count=tuple(dict.fromkeys(name for one in every for name in one.count)),
        never=tuple(sorted(never)),
        device_classes=tuple(dict.fromkeys(name for one in every for name in one.device_classes)),
    )


def selected_labels(policies: Iterable[Policy]) -> tuple[str, ...]:
    """Answer the labels of namespaces that the policies select by."""
    selectors = (policy.match.namespace_selector for policy in policies)
    return tuple(sorted({key for one in selectors if one is not None for key in one.keys}))


def widest(policies: Sequence[Policy]) -> Policy:
    """Answer one policy that reaches as far as any of `policies`, at least one: what need not be asked about is none's.

    Its accelerators and workloads are those of all of them, and its exemptions the namespaces that all of them exempt
    for good.
    """
    first, *rest = policies
    names = first.exemptions.lasting_namespaces
    shared = tuple(one for one in names if all(one in other.exemptions.lasting_namespaces for other in rest))
    return replace(
        first,
        accelerators=accelerators_of_all(policies),
        workloads=tuple(dict.fromkeys(one for policy in policies for one in policy.workloads)),
        exemptions=Exemptions(rules=(ExemptionRule("exempt in every policy", namespaces=shared),), pods=False),
    )
