"""The grammar of a world snapshot, which the controller writes and every replica reads.

Fields that are not known are let through here: a newer controller may write more than an older replica reads. In the
specs of policies and classes they are refused, but for those that it lists as `ignorable` (see `sources.newer_fields`).
"""

from typing import Literal
from typing import TypeAlias

from pydantic import ConfigDict
from pydantic import Field

from webhook.config.schema import Amount
from webhook.config.schema import Model
from webhook.config.schema import Text

Labels: TypeAlias = dict[str, str]


class _Open(Model):
    model_config = ConfigDict(extra="ignore")


class NamedSpec(_Open):
    """The name that a document gives itself."""

    name: Text


class PolicyEntry(_Open):
    """An AlignmentPolicy, as somebody wrote it."""

    metadata: NamedSpec
    spec: dict[str, object] = Field(default_factory=dict)


class FreeSpec(_Open):
    """What NUMA nodes of a class have free."""

    seen: Text
    cells: list[dict[str, Amount]]


class ClassEntry(_Open):
    """A node class: the spec of a NodeProfile, how many nodes are like that, and who says so."""

    name: Text
    spec: dict[str, object]
    nodes: int = Field(default=0, ge=0)
    trusted: bool = True
    verified: bool = False
    sources: dict[str, str] = Field(default_factory=dict)
    free: FreeSpec | None = None


class NamespaceEntry(_Open):
    """Labels that matter, and the namespaces that carry them."""

    labels: Labels
    names: list[str]


class DeviceClassEntry(_Open):
    """A device class: the extended resource that it serves, and the drivers that it selects."""

    name: Text
    extended_resource_name: str = ""
    drivers: list[str] = Field(default_factory=list)


class Snapshot(_Open):
    """The whole document."""

    api_version: Literal["numagate.io/v1alpha1"]
    kind: Literal["World"]
    written: Text
    generation: Text
    policies: list[PolicyEntry]
    classes: list[ClassEntry]
    namespaces: list[NamespaceEntry] = Field(default_factory=list)
    device_classes: list[DeviceClassEntry] = Field(default_factory=list)
    ignorable: list[str] = Field(default_factory=list)
