"""The policy: who is governed, up to which level, and what repairs may write."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from fnmatch import fnmatchcase
from fnmatch import translate
from functools import lru_cache

from webhook.domain.levels import Level
from webhook.domain.levels import Modes
from webhook.domain.quantity import Quantity
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


@dataclass(frozen=True, slots=True)
class Accelerators:
    """Which extended resources count as accelerators; `*` in a pattern stands for any text.

    `never` is tested first: memory, cores and percentages of a device are no count, and a NIC is no accelerator.
    """

    count: tuple[str, ...]
    never: tuple[str, ...]

    def includes(self, resource: str) -> bool:
        """Tell whether one unit of `resource` is one accelerator."""
        return _any_of(self.never).match(resource) is None and _any_of(self.count).match(resource) is not None


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
class Exemptions:
    """Who is not governed. Users and groups concern the requester only; `pods` honours the pod annotations."""

    namespaces: tuple[str, ...]
    users: tuple[str, ...]
    groups: tuple[str, ...]
    pods: bool


@dataclass(frozen=True, slots=True)
class Policy:
    """One AlignmentPolicy document, checked; `generation` names its content.

    `workloads` are kinds of its own, beside those that numagate knows.
    """

    name: str
    generation: str
    governs: Governs
    modes: Modes
    namespaces: tuple[NamespaceModes, ...]
    classes: Classes
    on_unknown: Answer
    on_unenforced: Answer
    accelerators: Accelerators
    recognition: Recognition
    repair: RepairRules
    exemptions: Exemptions
    workloads: tuple[Workload, ...] = ()

    def modes_for(self, namespace: str) -> Modes:
        """Answer the modes that hold in `namespace`."""
        for entry in self.namespaces:
            if any(fnmatchcase(namespace, pattern) for pattern in entry.patterns):
                return entry.modes
        return self.modes

    def exempts_namespace(self, namespace: str) -> bool:
        """Tell whether `namespace` is exempt by name."""
        return any(fnmatchcase(namespace, pattern) for pattern in self.exemptions.namespaces)


OFF = Modes(enforce=Level.NONE, repair=Level.NONE, warn=Level.NONE, audit=Level.NONE)
"""Every mode switched off."""
