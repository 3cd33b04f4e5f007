"""The grammar of a NodeProfile: field names are those of the scenario format and of the kubelet's configuration."""

import re
from typing import Annotated
from typing import Any
from typing import Literal
from typing import TypeAlias

from pydantic import AfterValidator
from pydantic import Discriminator
from pydantic import Field
from pydantic import StringConstraints
from pydantic import Tag
from pydantic import model_validator

from webhook.config.amounts import MAX_CPU
from webhook.config.amounts import read_bytes
from webhook.config.amounts import read_cpu_list
from webhook.config.schema import Amount
from webhook.config.schema import Bytes
from webhook.config.schema import Envelope
from webhook.config.schema import Model
from webhook.config.schema import ResourceName
from webhook.config.schema import Text
from webhook.config.words import shorten

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


def _is_list(value: Any) -> str:
    return "list" if isinstance(value, list) else "map"


CellId: TypeAlias = Annotated[int, Field(ge=0, le=1023)]
CpuId: TypeAlias = Annotated[int, Field(ge=0, le=MAX_CPU)]
CpuList: TypeAlias = Annotated[str, AfterValidator(_cpu_list)]
DeviceCount: TypeAlias = Annotated[int, Field(ge=0, le=1024)]
Pages: TypeAlias = Annotated[int, Field(ge=0, le=1 << 40)]
PageSize: TypeAlias = Annotated[str, AfterValidator(_page_size)]


class CoreSpec(Model):
    """A physical core."""

    threads: Annotated[list[CpuId], Field(min_length=1, max_length=8)]
    socket: CellId | None = None
    uncore: Annotated[int, Field(ge=0)] | None = None


class CellSpec(Model):
    """A NUMA node; its CPUs are written in one of three ways, or there are none."""

    id: CellId
    memory: Bytes
    hugepages: dict[PageSize, Pages] | None = None
    cores: list[CoreSpec] | None = None
    cpus: CpuList | None = None
    core_count: Annotated[int, Field(ge=1, le=MAX_CPU)] | None = None
    threads_per_core: Annotated[int, Field(ge=1, le=8)] | None = None
    socket: CellId | None = None
    distances: list[Annotated[int, Field(ge=0, le=255)]] | None = None

    @model_validator(mode="after")
    def _cpus_are_written_once(self) -> "CellSpec":
        ways = [w for w, v in (("cores", self.cores), ("cpus", self.cpus), ("coreCount", self.core_count)) if v]
        if len(ways) > 1:
            message = f"NUMA node {self.id} has both {' and '.join(ways)}: write its CPUs in one way"
            raise ValueError(message)
        if ways in (["cpus"], ["coreCount"]) and self.threads_per_core is None:
            message = f"NUMA node {self.id} has {ways[0]} without threadsPerCore: write 2 with SMT, else 1"
            raise ValueError(message)
        return self


class DeviceSpec(Model):
    """A device; without `numa` the plug-in gave no topology."""

    id: Text
    numa: list[CellId] | None = None
    healthy: bool = True


Devices: TypeAlias = Annotated[
    Annotated[list[DeviceSpec], Tag("list")]
    | Annotated[dict[Annotated[str, AfterValidator(_cell_id)], DeviceCount], Tag("map")],
    Discriminator(_is_list),
]


class ReservedMemorySpec(Model):
    """Memory that the kubelet keeps back on one NUMA node."""

    numa_node: CellId
    limits: dict[Annotated[str, StringConstraints(pattern=r"^(memory|hugepages-.+)$")], Bytes]


class SettingsSpec(Model):
    """The settings of a KubeletConfiguration that decide alignment, but for the policies."""

    cpu_manager_policy_options: dict[Text, Text] | None = None
    topology_manager_policy_options: dict[Text, Text] | None = None
    reserved_system_cpus: Annotated[CpuList | None, Field(alias="reservedSystemCPUs")] = None
    node_allocatable_reservation: dict[ResourceName, Amount] | None = None
    reserved_memory: list[ReservedMemorySpec] | None = None
    feature_gates: dict[Text, bool] | None = None
    version: Annotated[str, AfterValidator(_version)] | None = None


class KubeletSpec(SettingsSpec):
    """The settings of a kubelet that starts."""

    cpu_manager_policy: Literal["none", "static"] | None = None
    memory_manager_policy: Literal["None", "Static"] | None = None
    topology_manager_policy: Literal["none", "best-effort", "restricted", "single-numa-node"] | None = None
    topology_manager_scope: Literal["container", "pod"] | None = None


class TaintSpec(Model):
    """A taint of the nodes."""

    key: Text
    value: str = ""
    effect: Literal["NoSchedule", "PreferNoSchedule", "NoExecute"]


class SelectorSpec(Model):
    """The labels that the nodes of the class carry."""

    match_labels: dict[Text, str] | None = None


class MachineSpec(Model):
    """A machine, as profiles and scenarios describe it."""

    numa: Annotated[list[CellSpec], Field(min_length=1, max_length=1024)] | None = None
    devices: dict[ResourceName, Devices] | None = None


class ProfileSpec(MachineSpec):
    """The spec of a NodeProfile."""

    machine: Text | None = None
    selector: SelectorSpec | None = None
    taints: list[TaintSpec] | None = None
    kubelet: KubeletSpec | None = None

    @model_validator(mode="after")
    def _names_a_machine(self) -> "ProfileSpec":
        if self.machine is None and self.numa is None:
            message = "no machine: write numa, or machine with a name from the library"
            raise ValueError(message)
        return self


class NodeProfile(Envelope):
    """The whole document."""

    spec: ProfileSpec
