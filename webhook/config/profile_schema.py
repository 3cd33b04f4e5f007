"""The grammar of a NodeProfile: field names are those of the scenario format and of the kubelet's configuration."""

import re
from typing import Annotated
from typing import Any
from typing import ClassVar
from typing import Literal
from typing import TypeAlias

from pydantic import Discriminator
from pydantic import Field
from pydantic import StringConstraints
from pydantic import Tag
from pydantic import WithJsonSchema

from webhook.config.amounts import MAX_CPU
from webhook.config.amounts import read_bytes
from webhook.config.amounts import read_cpu_list
from webhook.config.rules import Rule
from webhook.config.schema import Amount
from webhook.config.schema import Bytes
from webhook.config.schema import Envelope
from webhook.config.schema import Many
from webhook.config.schema import Model
from webhook.config.schema import ResourceName
from webhook.config.schema import Text
from webhook.config.words import shorten
from webhook.domain.writable import MEMORY_KIND
from webhook.domain.writable import MOST_CELLS
from webhook.domain.writable import MOST_KINDS

MAX_LIST = 4096
"""Characters of a CPU list."""

_ID = re.compile(r"-1|0|[1-9][0-9]{0,3}")
_VERSION = re.compile(r"1\.(0|[1-9][0-9]{0,2})")


def _cell_id(text: str) -> str:
    if not _ID.fullmatch(text):
        message = f'{shorten(text)} is no NUMA node id: write a number like "0", or "-1" for not known'
        raise ValueError(message)
    return text


def _page_size(text: str) -> str:
    size = read_bytes(text)
    if size == 0 or size & (size - 1):
        message = f'"{text}" is no huge page size: write one like 2Mi or 1Gi'
        raise ValueError(message)
    return text


def _cpu_list(text: str) -> str:
    read_cpu_list(text)
    return text


def _version(text: str) -> str:
    if not _VERSION.fullmatch(text):
        message = f'{shorten(text)} is no version of Kubernetes: write one like "1.37", without the patch number'
        raise ValueError(message)
    return text


def _cpus_are_written_once(cell: "CellSpec") -> None:
    ways = [w for w, v in (("cores", cell.cores), ("cpus", cell.cpus), ("coreCount", cell.core_count)) if v]
    if len(ways) > 1:
        message = f"NUMA node {cell.id} has both {' and '.join(ways)}: write its CPUs in one way"
        raise ValueError(message)
    if ways in (["cpus"], ["coreCount"]) and cell.threads_per_core is None:
        message = f"NUMA node {cell.id} has {ways[0]} without threadsPerCore: write 2 with SMT, else 1"
        raise ValueError(message)


_NO_MACHINE = "no machine: write numa, machine with a name of the library, or a selector of nodes to complete"


def _names_a_machine(spec: "ProfileSpec") -> None:
    """Let a profile through that only completes what the nodes of its selector report."""
    if spec.machine is None and spec.numa is None and not (spec.selector and spec.selector.match_labels):
        raise ValueError(_NO_MACHINE)


def _is_list(value: Any) -> str:
    return "list" if isinstance(value, list) else "map"


CellId: TypeAlias = Annotated[int, Field(ge=0, le=1023)]
CpuId: TypeAlias = Annotated[int, Field(ge=0, le=MAX_CPU)]
CpuList: TypeAlias = Annotated[
    str,
    Field(max_length=MAX_LIST),
    Rule(
        _cpu_list,
        "self.matches('^[0-9, -]*$')",
        "must be a CPU list such as 0-47,96-143",
    ),
]
DeviceCount: TypeAlias = Annotated[int, Field(ge=0, le=1024)]
Pages: TypeAlias = Annotated[int, Field(ge=0, le=1 << 40)]
PageSize: TypeAlias = Annotated[
    str, Rule(_page_size, "isQuantity(self)", "must be a huge page size such as 2Mi or 1Gi")
]
CellKey: TypeAlias = Annotated[
    str, Rule(_cell_id, "self.matches('^(-1|0|[1-9][0-9]{0,3})$')", 'must be a NUMA node id such as "0"')
]
Version: TypeAlias = Annotated[
    str,
    Field(max_length=64),
    Rule(
        _version,
        "self.matches('^1[.](0|[1-9][0-9]{0,2})$')",
        'must be a minor version of Kubernetes such as "1.37", without the patch number',
    ),
]


class CoreSpec(Model):
    """A physical core."""

    threads: Annotated[list[CpuId], Field(min_length=1, max_length=8)]
    """Its CPU ids."""
    socket: CellId | None = None
    """Its socket (default that of the NUMA node)."""
    uncore: Annotated[int, Field(ge=0)] | None = None
    """Its L3 cache, where a NUMA node has several."""


class CellSpec(Model):
    """A NUMA node; its CPUs are written in one of three ways, or there are none."""

    together: ClassVar[tuple[Rule, ...]] = (
        Rule(
            _cpus_are_written_once,
            "(has(self.cores) && size(self.cores) > 0 ? 1 : 0) + (has(self.cpus) && self.cpus != '' ? 1 : 0) +\n"
            "(has(self.coreCount) ? 1 : 0) <= 1 &&\n"
            "(has(self.threadsPerCore) || !has(self.coreCount) && (!has(self.cpus) || self.cpus == ''))",
            "must have its CPUs in one way: cores, or cpus or coreCount with threadsPerCore",
        ),
    )

    id: CellId
    """The kernel's number of the NUMA node."""
    memory: Bytes
    """MemTotal of the NUMA node, huge pages included."""
    hugepages: Annotated[dict[PageSize, Pages], Field(max_length=16)] | None = None
    """Number of huge pages by size, such as {2Mi: 512, 1Gi: 4}."""
    cores: Annotated[list[CoreSpec], Field(max_length=MAX_CPU + 1)] | None = None
    """Each core, as one of three ways to write the CPUs."""
    cpus: CpuList | None = None
    """A CPU list such as 0-47,96-143, as one of three ways to write the CPUs."""
    core_count: Annotated[int, Field(ge=1, le=MAX_CPU)] | None = None
    """The number of cores, as one of three ways to write the CPUs; ids are given as Linux does."""
    threads_per_core: Annotated[int, Field(ge=1, le=8)] | None = None
    """2 with SMT, else 1; required with cpus and coreCount."""
    socket: CellId | None = None
    """The socket (default the id of the NUMA node)."""
    distances: Annotated[list[Annotated[int, Field(ge=0, le=255)]], Field(max_length=1024)] | None = None
    """Distances to the NUMA nodes, one for each in their order."""


class DeviceSpec(Model):
    """A device; without `numa` the plug-in gave no topology."""

    id: Text
    """The plug-in's name of the device."""
    numa: list[CellId] | None = None
    """Its NUMA nodes; without it the device has no affinity."""
    healthy: bool = True
    """Whether the plug-in offers it (default true)."""


Devices: TypeAlias = Annotated[
    Annotated[list[DeviceSpec], Tag("list")] | Annotated[dict[CellKey, DeviceCount], Tag("map")],
    Discriminator(_is_list),
    # A list or a map: no structural schema has both.
    WithJsonSchema({"x-kubernetes-preserve-unknown-fields": True}),
]


class ReservedMemorySpec(Model):
    """Memory that the kubelet keeps back on one NUMA node."""

    numa_node: CellId
    """The NUMA node."""
    limits: Annotated[dict[Annotated[str, StringConstraints(pattern=MEMORY_KIND)], Bytes], Field(max_length=MOST_KINDS)]
    """Amounts of memory or hugepages-SIZE."""


class SettingsSpec(Model):
    """The settings of a KubeletConfiguration that decide alignment, but for the policies."""

    cpu_manager_policy_options: Annotated[dict[Text, Text], Many] | None = None
    """As in the kubelet's configuration."""
    topology_manager_policy_options: Annotated[dict[Text, Text], Many] | None = None
    """As in the kubelet's configuration."""
    reserved_system_cpus: Annotated[CpuList | None, Field(alias="reservedSystemCPUs")] = None
    """A CPU list that no pod gets; without it the number of reserved CPUs decides."""
    node_allocatable_reservation: Annotated[dict[ResourceName, Amount], Many] | None = None
    """kubeReserved + systemReserved + the hard eviction threshold, by resource."""
    reserved_memory: Annotated[list[ReservedMemorySpec], Field(max_length=MOST_CELLS)] | None = None
    """Memory that the kubelet keeps back, by NUMA node."""
    feature_gates: Annotated[dict[Text, bool], Many] | None = None
    """Feature gates that are not as in the version."""
    version: Version | None = None
    """The kubelet's minor version, such as "1.37"."""


class KubeletSpec(SettingsSpec):
    """The settings of a kubelet that starts."""

    cpu_manager_policy: Literal["none", "static"] | None = None
    """As in the kubelet's configuration (default none)."""
    memory_manager_policy: Literal["None", "Static"] | None = None
    """As in the kubelet's configuration (default None)."""
    topology_manager_policy: Literal["none", "best-effort", "restricted", "single-numa-node"] | None = None
    """As in the kubelet's configuration (default none)."""
    topology_manager_scope: Literal["container", "pod"] | None = None
    """As in the kubelet's configuration (default container)."""


class TaintSpec(Model):
    """A taint of the nodes."""

    key: Text
    """The taint's key."""
    value: str = ""
    """The taint's value."""
    effect: Literal["NoSchedule", "PreferNoSchedule", "NoExecute"]
    """What the taint does to pods that do not tolerate it."""


class SelectorSpec(Model):
    """The labels that the nodes of the class carry."""

    match_labels: Annotated[dict[Text, str], Many] | None = None
    """Labels of the nodes; a pod that selects another value of one of them does not go here."""


class MachineSpec(Model):
    """A machine, as profiles and scenarios describe it."""

    numa: Annotated[list[CellSpec], Field(min_length=1, max_length=1024)] | None = None
    """The NUMA nodes."""
    devices: Annotated[dict[ResourceName, Devices], Many] | None = None
    """Devices by resource name: their number on each NUMA node ("-1": not known which), or a list of them."""


class ProfileSpec(MachineSpec):
    """The spec of a NodeProfile."""

    together: ClassVar[tuple[Rule, ...]] = (
        Rule(
            _names_a_machine,
            "has(self.machine) || has(self.numa) || "
            "(has(self.selector) && has(self.selector.matchLabels) && size(self.selector.matchLabels) > 0)",
            _NO_MACHINE,
        ),
    )

    machine: Text | None = None
    """A machine of the library to start from; each field written here replaces the machine's."""
    selector: SelectorSpec | None = None
    """Which nodes are of this class."""
    taints: Annotated[list[TaintSpec], Many] | None = None
    """Taints of the nodes."""
    kubelet: KubeletSpec | None = None
    """Settings of the kubelet that decide alignment."""


class NodeProfile(Envelope):
    """A node class: all nodes of one shape, their hardware and their kubelet settings."""

    spec: ProfileSpec
    """The machine, its kubelet and its nodes."""
