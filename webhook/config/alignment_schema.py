"""The grammar of a NodeAlignment, which the agent on a node writes about it: a NodeProfile's words, and what it found.

The agent writes the whole object, and nobody else does: so all of it is `spec`, and there is no status.
"""

from typing import Annotated
from typing import ClassVar
from typing import Literal
from typing import TypeAlias

from pydantic import Field
from pydantic import StringConstraints

from webhook.config.profile_schema import CellId
from webhook.config.profile_schema import CellSpec
from webhook.config.profile_schema import DeviceSpec
from webhook.config.profile_schema import KubeletSpec
from webhook.config.rules import Rule
from webhook.config.schema import Amount
from webhook.config.schema import Envelope
from webhook.config.schema import Model
from webhook.config.schema import ResourceName
from webhook.config.words import shorten
from webhook.domain import instant
from webhook.domain.free_cells import MOST_CELLS
from webhook.domain.node_alignment import MOST_DEVICES
from webhook.domain.node_alignment import MOST_FAULTS
from webhook.domain.node_alignment import MOST_PODS
from webhook.domain.node_alignment import MOST_RESOURCES
from webhook.domain.node_alignment import MOST_RULES
from webhook.domain.node_alignment import MOST_TEXT
from webhook.domain.node_alignment import MOST_UNREAD


def _instant(text: str) -> str:
    if instant.parse(text) is None:
        message = f"{shorten(text)} is no instant: write one like 2027-01-31T00:00:00Z"
        raise ValueError(message)
    return text


def _cells_are_counted(spec: "AlignmentSpec") -> None:
    if spec.numa is not None and spec.numa_nodes != len(spec.numa):
        message = f"numaNodes is {spec.numa_nodes}, and numa has {len(spec.numa)}: write the number of its members"
        raise ValueError(message)


Line: TypeAlias = Annotated[str, StringConstraints(max_length=MOST_TEXT)]
"""A text for people."""
Name: TypeAlias = Annotated[str, StringConstraints(max_length=253)]
Instant: TypeAlias = Annotated[
    str,
    Field(max_length=64),
    Rule(
        _instant,
        "self.matches('^[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt][0-9]{2}:[0-9]{2}:[0-9]{2}([.][0-9]{1,9})?"
        "([Zz]|[+-][0-9]{2}:[0-9]{2})$')",
        "must be an instant such as 2027-01-31T00:00:00Z",
    ),
]
DeviceList: TypeAlias = Annotated[list[DeviceSpec], Field(max_length=MOST_DEVICES)]
Number: TypeAlias = Annotated[int, Field(ge=0, le=1_000_000)]


class AgentSpec(Model):
    """Who wrote the object."""

    version: Annotated[str, StringConstraints(max_length=64)]
    """The version of numagate on the node."""
    started: Instant | None = None
    """When the agent started."""


class FreeSpec(Model):
    """What one NUMA node has free."""

    numa_node: CellId
    """The NUMA node."""
    amounts: Annotated[dict[ResourceName, Amount], Field(max_length=MOST_RESOURCES)]
    """CPUs that no container has to itself, memory that none is promised, and devices that none has."""


class RuleSpec(Model):
    """A rule that a pod breaks."""

    rule: Annotated[str, StringConstraints(max_length=64)]
    """The rule's code."""
    container: Name | None = None
    """The container; without it the rule is about the pod."""
    reason: Line
    """What is wrong, in one line."""
    wanted: Line = ""
    """What was promised."""
    seen: Line = ""
    """What is there."""


class MisalignedSpec(Model):
    """A pod that is not as it was promised."""

    namespace: Name
    """Its namespace."""
    name: Name
    """Its name."""
    uid: Annotated[str, StringConstraints(max_length=128)]
    """Its UID."""
    reason: Line
    """The first reason, in one line."""
    forged: bool | None = None
    """Whether its annotation disagrees with what its spec earns (default false)."""
    rules: Annotated[list[RuleSpec], Field(max_length=MOST_RULES)] | None = None
    """The rules that it breaks, the first ones of many."""


class PodsSpec(Model):
    """The verdicts on the pods of the node."""

    aligned: Number
    """Pods that are as they were promised."""
    misaligned: Number
    """Pods that are not."""
    unknown: Number
    """Pods of which that cannot be told."""
    misaligned_pods: Annotated[list[MisalignedSpec], Field(max_length=MOST_PODS)] | None = None
    """Those that are not as they were promised, the first ones of many, by namespace and name."""


class FaultSpec(Model):
    """Something wrong with the node itself, which no pod can help."""

    code: Annotated[str, StringConstraints(max_length=64)]
    """The fault's code."""
    reason: Line
    """What is wrong, in one line."""
    remedy: Line = ""
    """What to do, in one line."""


class UnreadSpec(Model):
    """Something that the agent could not read."""

    field: Annotated[str, StringConstraints(max_length=128)]
    """What."""
    reason: Line
    """Why."""


class AlignmentSpec(Model):
    """What the agent saw and found, in one pass."""

    together: ClassVar[tuple[Rule, ...]] = (
        Rule(
            _cells_are_counted,
            "!has(self.numa) || has(self.numaNodes) && self.numaNodes == size(self.numa)",
            "numaNodes must be the number of members of numa",
        ),
    )

    observed: Instant
    """When the pass ended, by the node's clock. An object that is not renewed is stale after a while."""
    agent: AgentSpec
    """Who wrote this."""
    numa_nodes: Annotated[int, Field(ge=0, le=1024)] = 0
    """How many NUMA nodes there are."""
    numa: Annotated[list[CellSpec], Field(min_length=1, max_length=1024)] | None = None
    """The NUMA nodes, with the CPUs that are online; missing where they could not be read."""
    devices: Annotated[dict[ResourceName, DeviceList], Field(max_length=MOST_RESOURCES)] | None = None
    """Devices by resource name, as the kubelet knows them; missing where nobody told."""
    kubelet: KubeletSpec | None = None
    """Settings of the kubelet that decide alignment; missing where they could not be read."""
    free: Annotated[list[FreeSpec], Field(max_length=MOST_CELLS)] | None = None
    """What each NUMA node with CPUs has free."""
    pods: PodsSpec
    """The verdicts on the pods."""
    faults: Annotated[list[FaultSpec], Field(max_length=MOST_FAULTS)] | None = None
    """What is wrong with the node itself, such as a state file of another policy."""
    unread: Annotated[list[UnreadSpec], Field(max_length=MOST_UNREAD)] | None = None
    """What could not be read of the node, the first ones of many."""


class NodeAlignment(Envelope):
    """What numagate's agent sees on one node, which has the object's name: its topology, its kubelet, its pods."""

    kind: Literal["NodeAlignment"]
    spec: AlignmentSpec
    """What the agent saw and found."""
