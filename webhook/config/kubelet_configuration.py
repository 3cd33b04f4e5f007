"""Reads a KubeletConfiguration (kubelet.config.k8s.io/v1beta1), as its file or /configz has it, into our settings."""

import re
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from webhook.config.amounts import read_amount
from webhook.config.amounts import read_bytes
from webhook.config.document import Document
from webhook.config.document import from_object
from webhook.config.words import shorten
from webhook.domain import cpuset
from webhook.domain.pointer import Path
from webhook.domain.quantity import ZERO
from webhook.domain.quantity import Quantity
from webhook.domain.raw import JsonObject
from webhook.domain.raw import as_object
from webhook.domain.resources import CPU
from webhook.domain.resources import MEMORY
from webhook.domain.topology import KubeletSettings

API_VERSION: Final = "kubelet.config.k8s.io/v1beta1"
KIND: Final = "KubeletConfiguration"
CONFIGZ: Final = "kubeletconfig"
"""The key under which /configz serves the configuration."""
MEMORY_AVAILABLE: Final = "memory.available"
"""The eviction signal whose hard threshold counts as reserved memory (pkg/kubelet/cm/helpers.go)."""

DEFAULT_EVICTION_HARD: Final[Mapping[str, str]] = MappingProxyType(
    {
        MEMORY_AVAILABLE: "100Mi",
        "nodefs.available": "10%",
        "nodefs.inodesFree": "5%",
        "imagefs.available": "15%",
        "imagefs.inodesFree": "5%",
    }
)
"""What holds where evictionHard is absent (pkg/kubelet/eviction/defaults_linux.go); a map replaces it whole."""

_MAX_CELL: Final = 1023
_ROUNDS_SINCE: Final = (1, 37)
_NO_THRESHOLD: Final = frozenset({"0%", "100%"})
_PERCENT: Final = re.compile(r"([0-9]{1,3}(?:\.[0-9]{0,12})?)%")


@dataclass(frozen=True, slots=True)
class KubeletConfiguration:
    """The settings that decide alignment, and what their sums were made of, as written.

    `eviction_hard` is the one in force, defaults filled in. `unsure` says why the reservation of memory in `settings`
    lacks the eviction threshold, or is "": a threshold in percent needs the node's memory.
    """

    settings: KubeletSettings
    kube_reserved: Mapping[str, Quantity]
    system_reserved: Mapping[str, Quantity]
    eviction_hard: Mapping[str, str]
    unsure: str = ""


def read_kubelet_configuration(
    document: Document, *, memory: int | None = None, version: tuple[int, int] | None = None
) -> KubeletConfiguration:
    """Read the content of a KubeletConfiguration; what it does not say has the kubelet's own default.

    The answer of /configz will do as well. `memory` is the node's MemTotal in bytes. Unknown policies and options are
    read as they are: what a kubelet makes of them is the simulation's to say (domain/kubelet/startup). Ephemeral
    storage is not judged against its threshold: no alignment needs it.

    Raises:
        PolicyError: a value cannot be read, so the kubelet could not either.
    """
    version = version or KubeletSettings().version
    reader = _Reader(document if CONFIGZ not in document.data else _inside(document), version)
    kube, system = reader.amounts("kubeReserved"), reader.amounts("systemReserved")
    eviction = reader.eviction_hard()
    cpus = reader.reserved_cpus()
    threshold, unsure = reader.memory_threshold(eviction, memory)
    defaults = KubeletSettings()
    settings = KubeletSettings(
        cpu_manager_policy=reader.text("cpuManagerPolicy") or defaults.cpu_manager_policy,
        cpu_manager_policy_options=reader.texts("cpuManagerPolicyOptions"),
        memory_manager_policy=reader.text("memoryManagerPolicy") or defaults.memory_manager_policy,
        topology_manager_policy=reader.text("topologyManagerPolicy") or defaults.topology_manager_policy,
        topology_manager_scope=reader.text("topologyManagerScope") or defaults.topology_manager_scope,
        topology_manager_policy_options=reader.texts("topologyManagerPolicyOptions"),
        reserved_system_cpus=cpus,
        node_allocatable_reservation=_sum(kube, system, threshold, cpus),
        reserved_memory=reader.reserved_memory(),
        feature_gates=reader.gates(),
        version=version,
    )
    return KubeletConfiguration(settings, kube, system, eviction, unsure)


def _inside(document: Document) -> Document:
    content = document.data[CONFIGZ]
    if not isinstance(content, dict):
        raise document.error((CONFIGZ,), f"{shorten(content)} is no KubeletConfiguration")
    return from_object(content, document.source)


def _sum(
    kube: Mapping[str, Quantity], system: Mapping[str, Quantity], threshold: Quantity, cpus: int | None
) -> Mapping[str, Quantity]:
    """Add up as GetNodeAllocatableReservation does; explicit CPUs replace those by size (cmd/kubelet/app/server.go)."""
    found = {name: kube.get(name, ZERO) + system.get(name, ZERO) for name in (*kube, *system)}
    found[MEMORY] = found.get(MEMORY, ZERO) + threshold
    if cpus:
        found[CPU] = Quantity.of_count(cpus.bit_count())
    return MappingProxyType({name: amount for name, amount in found.items() if not amount.is_zero})


class _Reader:
    """Reads one field after the other, and names the field in each error."""

    def __init__(self, document: Document, version: tuple[int, int]) -> None:
        self._document = document
        self._version = version

    def text(self, key: str) -> str:
        """Answer a string, "" where it is absent."""
        value = self._document.data.get(key)
        if value is None or isinstance(value, str):
            return value or ""
        raise self._document.error((key,), f"{shorten(value)} is no text: put it in quotes")

    def texts(self, key: str) -> Mapping[str, str]:
        """Answer a map of strings."""
        found: dict[str, str] = {}
        for name, value in self._map((key,)).items():
            if not isinstance(value, str):
                raise self._document.error((key, name), f"{shorten(value)} is no text: put it in quotes")
            found[name] = value
        return MappingProxyType(found)

    def gates(self) -> Mapping[str, bool]:
        """Answer the feature gates."""
        found: dict[str, bool] = {}
        for name, value in self._map(("featureGates",)).items():
            if not isinstance(value, bool):
                message = f"{shorten(value)} is neither true nor false: write one of them, without quotes"
                raise self._document.error(("featureGates", name), message)
            found[name] = value
        return MappingProxyType(found)

    def amounts(self, key: str) -> Mapping[str, Quantity]:
        """Answer a map of quantities, which the kubelet wants as strings."""
        found: dict[str, Quantity] = {}
        for name, text in self.texts(key).items():
            try:
                amount = read_amount(text)
            except ValueError as error:
                raise self._document.error((key, name), str(error)) from None
            found[name] = _to_milli(amount) if name == CPU and self._version >= _ROUNDS_SINCE else amount
        return MappingProxyType(found)

    def reserved_cpus(self) -> int | None:
        """Answer the CPUs reserved by name, None where there are none."""
        text = self.text("reservedSystemCPUs")
        try:
            return cpuset.parse(text) or None
        except ValueError as error:
            raise self._document.error(("reservedSystemCPUs",), str(error)) from None

    def eviction_hard(self) -> Mapping[str, str]:
        """Answer the hard eviction thresholds in force (cmd/kubelet/app/server.go:loadConfigFile)."""
        if self._document.data.get("evictionHard") is None:
            return DEFAULT_EVICTION_HARD
        written = self.texts("evictionHard")
        if self._document.data.get("mergeDefaultEvictionSettings") is True:
            return MappingProxyType({**DEFAULT_EVICTION_HARD, **written})
        return written

    def memory_threshold(self, eviction: Mapping[str, str], memory: int | None) -> tuple[Quantity, str]:
        """Answer the part of the memory that eviction keeps free, and why it is not known, or ""."""
        text = eviction.get(MEMORY_AVAILABLE)
        path: Path = ("evictionHard", MEMORY_AVAILABLE)
        if text is None or text in _NO_THRESHOLD:
            return ZERO, ""
        if text.endswith("%"):
            percent = _PERCENT.fullmatch(text)
            if percent is None or float(percent[1]) > 100:  # noqa: PLR2004 - percent
                message = f"{shorten(text)} is no percentage of memory: write one like 5%"
                raise self._document.error(path, message)
            if memory is None:
                return ZERO, f"evictionHard {MEMORY_AVAILABLE} is {text}, of a memory that is not known"
            return Quantity.of_bytes(int(float(memory) * _float32(_float32(float(percent[1])) / 100))), ""
        try:
            amount = read_amount(text)
        except ValueError as error:
            raise self._document.error(path, str(error)) from None
        if amount.is_zero:
            message = f"{shorten(text)} is no threshold: write more than 0, or 0% for none"
            raise self._document.error(path, message)
        return amount, ""

    def reserved_memory(self) -> Mapping[int, Mapping[str, int]]:
        """Answer what is kept back on each NUMA node; entries of one node are joined, as the kubelet does."""
        entries = self._document.data.get("reservedMemory")
        if entries is not None and not isinstance(entries, list):
            raise self._document.error(
                ("reservedMemory",), f"{shorten(entries)} is no list: write one entry per NUMA node"
            )
        found: dict[int, dict[str, int]] = {}
        for index, entry in enumerate(entries or ()):
            path: Path = ("reservedMemory", index)
            node = as_object(entry).get("numaNode", 0)
            if not isinstance(entry, dict) or isinstance(node, bool) or not isinstance(node, int):
                raise self._document.error(path, "is no reservation: write numaNode, a number, and limits")
            if not 0 <= node <= _MAX_CELL:
                raise self._document.error((*path, "numaNode"), f"{node} is no NUMA node: write 0 to {_MAX_CELL}")
            limits = found.setdefault(node, {})
            for kind, size in self._map((*path, "limits"), entry.get("limits")).items():
                if kind in limits:
                    raise self._document.error((*path, "limits", kind), f"NUMA node {node} has it twice: write it once")
                limits[kind] = self._bytes((*path, "limits", kind), size)
        return MappingProxyType({node: MappingProxyType(limits) for node, limits in found.items()})

    def _bytes(self, path: Path, value: object) -> int:
        try:
            return read_bytes(value)
        except ValueError as error:
            raise self._document.error(path, str(error)) from None

    def _map(self, path: Path, value: object = None) -> JsonObject:
        found = value if len(path) > 1 else self._document.data.get(str(path[0]))
        if found is None:
            return {}
        if not isinstance(found, dict):
            raise self._document.error(path, f"{shorten(found)} is no map: write names and values")
        return found


def _to_milli(amount: Quantity) -> Quantity:
    """Round CPUs to the nearest thousandth (cmd/kubelet/app/server.go:parseResourceList): 1n is none."""
    micro = amount.times(1_000_000).value
    return Quantity.of_milli((micro + 500) // 1000)


def _float32(number: float) -> float:
    """Round as the kubelet does, which keeps percentages in single precision (pkg/kubelet/eviction/helpers.go)."""
    rounded: float = struct.unpack("f", struct.pack("f", number))[0]
    return rounded
