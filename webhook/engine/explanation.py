"""The explanation: what `numagate explain` tells about manifests, ready for every renderer."""

from collections.abc import Mapping
from dataclasses import dataclass

from webhook.domain.drawing import MachineDrawing
from webhook.domain.fit import Fits
from webhook.domain.kubelet.trace import Trace
from webhook.domain.report import ReadError
from webhook.domain.report import Result
from webhook.engine.suggestion import Suggestion


@dataclass(frozen=True, slots=True)
class ExplainedContainer:
    """A container with what it requests, as text by resource; `kind` is "init", "sidecar" or "app"."""

    name: str
    kind: str
    requests: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class ExplainedClass:
    """How an empty node of one class answers to the pod.

    `settings` are the kubelet's, by the names of its configuration. `kubelet` is its answer in its own words, and
    `handler` says which part of it refused (None for an admitted pod). `fits` and `reason` are ours; `reason` also says
    what is uneven about a pod over several NUMA nodes. `replicas` is how many such pods an empty node takes, each
    aligned, and `pods` how many the object makes, if it says so; `stranded` says which accelerators stay idle beside
    them, or is empty. `shapes` would fit instead, best
    first.
    """

    name: str
    assumed: bool
    settings: Mapping[str, str]
    kubelet: str
    handler: str | None
    fits: Fits
    reason: str
    replicas: int
    pods: int | None
    stranded: str
    shapes: tuple[Suggestion, ...]
    trace: Trace
    drawing: MachineDrawing


@dataclass(frozen=True, slots=True)
class ExplainedTemplate:
    """One pod template: lint's verdict, then what the simulation says of the pod.

    The pod is the one after `result.edits` if `repaired`, else the one as written. `because` says what no repair cures
    and the policy enforces, where the webhook would deny the pod. `containers` are in the kubelet's
    order, which is that of the placements. `ineligible` maps a node class to why the pod cannot go there. `notes` say
    what is special, one line each.
    """

    result: Result
    repaired: bool
    qos: str
    because: tuple[str, ...]
    containers: tuple[ExplainedContainer, ...]
    classes: tuple[ExplainedClass, ...]
    ineligible: Mapping[str, str]
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Skipped:
    """An object, or a part of one, that has no pod to place; `line` is where it starts."""

    file: str
    document: int
    line: int
    kind: str
    name: str
    reason: str


@dataclass(frozen=True, slots=True)
class Explanation:
    """Everything that one run of explain has to say; `assumed` names the node classes that nobody declared."""

    policy: str
    assumed: tuple[str, ...]
    files: int
    templates: tuple[ExplainedTemplate, ...]
    skipped: tuple[Skipped, ...]
    errors: tuple[ReadError, ...]

    @property
    def exit_code(self) -> int:
        """Answer 2 if anything could not be read, else 0: whether the pods fit is lint's to judge."""
        return 2 if self.errors else 0
