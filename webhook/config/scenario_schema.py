"""The grammar of a scenario: a machine with its kubelet, as in a NodeProfile, and the pods that arrive at it."""

from typing import Any

from pydantic import model_validator

from webhook.config.profile_schema import CellId
from webhook.config.profile_schema import MachineSpec
from webhook.config.profile_schema import SettingsSpec
from webhook.config.schema import Bytes
from webhook.config.schema import Model
from webhook.config.schema import Text


class AnyReservedMemorySpec(Model):
    """What is kept back on one NUMA node, be it memory or not."""

    numa_node: CellId
    limits: dict[Text, Bytes]


class AnyKubeletSpec(SettingsSpec):
    """The settings of a kubelet that may refuse them: what it does not know is its own to name."""

    cpu_manager_policy: Text | None = None
    memory_manager_policy: Text | None = None
    topology_manager_policy: Text | None = None
    topology_manager_scope: Text | None = None
    reserved_memory: list[AnyReservedMemorySpec] | None = None  # type: ignore[assignment] # any name is a legal text


class ScenarioSpec(MachineSpec):
    """One scenario; `profile` names a machine of the library, over which the other fields are laid."""

    name: Text
    profile: Text | None = None
    kubelet: AnyKubeletSpec | None = None
    pods: list[dict[str, Any]] | None = None
    skip_predicates: bool = False
    start: bool = False
    raw: bool = False

    @model_validator(mode="after")
    def _names_a_machine(self) -> "ScenarioSpec":
        if self.profile is None and self.numa is None:
            message = "no machine: write numa, or profile with a name from the library"
            raise ValueError(message)
        return self


class ScenarioDocument(Model):
    """A scenario in the place where a NodeProfile has its spec, so that both are read by the same code."""

    spec: ScenarioSpec
