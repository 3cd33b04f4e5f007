"""What is known about one node, reduced to small values, and what a source of topology makes of it.

Raw objects are reduced at once (`NodeFacts`, `AlignmentFacts`, `ReportFacts`, `SliceFacts`): a cluster has many nodes,
and their objects are large. All parts are tuples, so that equal parts of different nodes can be one object.
"""

from collections.abc import Callable
from collections.abc import Mapping
from dataclasses import dataclass
from dataclasses import field
from types import MappingProxyType
from typing import Final
from typing import NamedTuple
from typing import TypeAlias

NODE: Final = "Node"
ALIGNMENT: Final = "NodeAlignment"
REPORT: Final = "NodeResourceTopology"
SLICE: Final = "ResourceSlice"

Pairs: TypeAlias = tuple[tuple[str, str], ...]
Counts: TypeAlias = tuple[tuple[str, int], ...]

MOST_DEVICES: Final = 1024
"""Larger numbers are no devices but MiB or percent, and a profile cannot hold them."""
NOWHERE: Final = "-1"
"""The key of devices whose NUMA node is not known, as Linux writes it."""


class NodeFacts(NamedTuple):
    """What is kept of a Node.

    `labels` lacks those that name one node, and `telling` are those of them that sources of topology read; `taints`
    (key, value, effect) lacks those that pass. `version` is "1.37" or "". `cpus`, `memory` and `devices` are the
    capacity of its status; 0 and () where there is none. `created` is when it joined, as a text that sorts by time, ""
    where that is not known.
    """

    name: str
    labels: Pairs
    telling: Pairs = ()
    taints: tuple[tuple[str, str, str], ...] = ()
    version: str = ""
    cpus: int = 0
    devices: Counts = ()
    memory: int = 0
    schedulable: bool = True
    created: str = ""

    @property
    def kind(self) -> str:
        """The kind of the object."""
        return NODE


class AlignmentFacts(NamedTuple):
    """What is kept of a NodeAlignment.

    `fields` are those of an `Evidence`, each as JSON; `numa` lacks memory, which is in `memory`, in bytes by NUMA node.
    `cpus` are those of all, and `version` is that of the kubelet whose settings these are. `free`, in the order of
    `resources`, and `doubts` are as of a `ReportFacts`; `seen` is the instant since which nothing was heard of the
    agent, as a text that sorts by time.
    """

    name: str
    fields: Pairs
    memory: tuple[int, ...] = ()
    cpus: int = 0
    version: str = ""
    resources: tuple[str, ...] = ()
    free: tuple[tuple[int, ...], ...] = ()
    seen: str = ""
    problems: tuple[str, ...] = ()
    doubts: tuple[str, ...] = ()

    @property
    def kind(self) -> str:
        """The kind of the object."""
        return ALIGNMENT


class ZoneFacts(NamedTuple):
    """A zone of type Node, but for what differs from node to node: `cpus` and `pages` are (capacity, allocatable).

    None in `cpus` means that there is no such row. `devices` are allocatable ones; `costs` are (zone id, distance).
    """

    id: int
    cpus: tuple[int, int] | None
    pages: tuple[tuple[str, int, int], ...] = ()
    devices: Counts = ()
    costs: tuple[tuple[int, int], ...] = ()


class ReportFacts(NamedTuple):
    """What is kept of a NodeResourceTopology.

    `settings` are attributes by their kubelet names; `memory` is (capacity, allocatable) of each zone, None without a
    row; `free` is what each zone with CPUs has left: CPUs, bytes (-1 without a row), and devices in the order of
    `resources`; () where it is not said. `seen` is the instant of the data, "" where it is not known. `doubts` say what
    in it contradicts itself, or the Node.
    """

    name: str
    zones: tuple[ZoneFacts, ...]
    settings: Pairs = ()
    resources: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()
    memory: tuple[tuple[int, int] | None, ...] = ()
    free: tuple[tuple[int, ...], ...] = ()
    seen: str = ""
    doubts: tuple[str, ...] = ()

    @property
    def kind(self) -> str:
        """The kind of the object."""
        return REPORT


class DeviceFacts(NamedTuple):
    """A device of a slice: `numa` is its own NUMA node or None, `roots` its PCIe roots, `kind` the driver's type.

    `cpus`, `cpu`, `core`, `socket` and `smt` are what the driver of CPUs says; `memory` what the driver of memory says.
    """

    numa: int | None
    roots: tuple[str, ...] = ()
    kind: str = ""
    cpus: int = 0
    cpu: int | None = None
    core: int | None = None
    socket: int | None = None
    smt: bool | None = None
    memory: int = 0


class SliceFacts(NamedTuple):
    """What is kept of a ResourceSlice that belongs to one node."""

    name: str
    node: str
    driver: str
    pool: str
    generation: int
    devices: tuple[DeviceFacts, ...]

    @property
    def kind(self) -> str:
        """The kind of the object."""
        return SLICE


Facts: TypeAlias = NodeFacts | AlignmentFacts | ReportFacts | SliceFacts


@dataclass(frozen=True, slots=True)
class ProfileFacts:
    """A NodeProfile as the user wrote it, full or partial; without `labels` it is about no node in particular."""

    name: str
    spec: Mapping[str, object]
    labels: Pairs


@dataclass(frozen=True, slots=True)
class NodeView:
    """All that is known about one node, or about nodes that are alike; `profiles` come with the closest match first."""

    labels: Mapping[str, str]
    node: NodeFacts | None = None
    alignment: AlignmentFacts | None = None
    report: ReportFacts | None = None
    slices: tuple[SliceFacts, ...] = ()
    profiles: tuple[ProfileFacts, ...] = ()

    @property
    def capacity(self) -> Mapping[str, int]:
        """The devices of the node's status by resource."""
        return dict(self.node.devices) if self.node else {}


def _nothing() -> Mapping[str, str]:
    return MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Evidence:
    """What one source says about a node: parts of a NodeProfile's spec by field.

    Fields are `numa`, `devices.RESOURCE`, `kubelet.SETTING` and `taints`. `assumed` tells of which fields the value is
    a guess, and why. `weak` fields come from a product's name, which does not fix the layout of a machine; `declared`
    evidence is a person's word. `bound` fields count only where `numa` is taken from the same source. `drivers` are the
    devices that are handed out by claims, by driver and NUMA node. `doubts` say why nothing of it is to be believed,
    however many nodes agree.
    """

    source: str
    fields: Mapping[str, object]
    assumed: Mapping[str, str] = field(default_factory=_nothing)
    weak: frozenset[str] = frozenset()
    bound: frozenset[str] = frozenset()
    declared: bool = False
    title: str = ""
    problems: tuple[str, ...] = ()
    doubts: tuple[str, ...] = ()
    drivers: Mapping[str, Mapping[str, int]] = field(default_factory=lambda: MappingProxyType({}))


@dataclass(frozen=True, slots=True)
class TopologySource:
    """A plug-in: `read` answers the evidence of one source about a node, None where it has none; low ranks win."""

    name: str
    rank: int
    read: Callable[[NodeView], Evidence | None]
