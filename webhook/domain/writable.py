"""What of a node's settings and devices a NodeAlignment can hold: the API server would refuse it whole for the rest.

A kubelet's file may hold what no kubelet starts with, and a device plug-in may tell what it likes.
"""

import re
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Mapping
from dataclasses import replace
from typing import Final
from typing import TypeVar

from webhook.domain import cpuset
from webhook.domain.observation import Observation
from webhook.domain.observation import ObservedDevice
from webhook.domain.observation import Unread
from webhook.domain.quantity import Quantity
from webhook.domain.topology import KubeletSettings
from webhook.domain.topology_document import MOST_LIST

MOST_SIGNS: Final = 512
"""Characters of a name or a value."""
MOST_ENTRIES: Final = 512
"""Entries of a list or a map, at most: an API server weighs the rules of a CRD by the largest document possible."""
MOST_AMOUNT: Final = 64
"""Characters of a quantity."""
MOST_KINDS: Final = 16
"""Kinds of memory that are kept back on a NUMA node."""
MOST_CELLS: Final = 1024
RESOURCE_NAME: Final = r"^([a-z0-9.-]+/)?[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?$"
MEMORY_KIND: Final = r"^(memory|hugepages-.+)$"

_REASON: Final = "what no NodeAlignment can hold is left out of it"
_Key = TypeVar("_Key")
_Value = TypeVar("_Value")


def writable(observation: Observation) -> Observation:
    """Answer the observation without what cannot be written of it, each part of that named in `unread`."""
    settings = None if observation.kubelet is None else _settings(observation.kubelet)
    devices = None if observation.devices is None else _devices(observation.devices)
    gaps = [] if observation.kubelet is None or settings is None else _changed(observation.kubelet, settings)
    if devices != observation.devices:
        gaps.append("devices")
    said = tuple(Unread(field, _REASON) for field in gaps)
    return replace(observation, kubelet=settings, devices=devices, unread=(*said, *observation.unread))


def _changed(read: KubeletSettings, kept: KubeletSettings) -> list[str]:
    parts = {
        "cpuManagerPolicyOptions": read.cpu_manager_policy_options == kept.cpu_manager_policy_options,
        "topologyManagerPolicyOptions": read.topology_manager_policy_options == kept.topology_manager_policy_options,
        "reservedSystemCPUs": read.reserved_system_cpus == kept.reserved_system_cpus,
        "nodeAllocatableReservation": read.node_allocatable_reservation == kept.node_allocatable_reservation,
        "reservedMemory": read.reserved_memory == kept.reserved_memory,
        "featureGates": read.feature_gates == kept.feature_gates,
    }
    return [f"kubelet.{name}" for name, same in parts.items() if not same]


def _settings(settings: KubeletSettings) -> KubeletSettings:
    """Answer what can be written. Of a map with too many entries nothing is."""
    reserved = settings.reserved_system_cpus
    return replace(
        settings,
        cpu_manager_policy_options=_texts(settings.cpu_manager_policy_options),
        topology_manager_policy_options=_texts(settings.topology_manager_policy_options),
        reserved_system_cpus=None if reserved is None or len(cpuset.format(reserved)) > MOST_LIST else reserved,
        node_allocatable_reservation=_amounts(settings.node_allocatable_reservation),
        reserved_memory=_memory(settings.reserved_memory),
        feature_gates=_few((name, on) for name, on in settings.feature_gates.items() if _is_text(name)),
    )


def _devices(devices: tuple[ObservedDevice, ...]) -> tuple[ObservedDevice, ...]:
    """Answer the devices of the resources that can be written with all of theirs: fewer would be another machine."""
    odd = {one.resource for one in devices if not (_is_resource(one.resource) and _is_text(one.id))}
    return tuple(one for one in devices if one.resource not in odd)


def _is_text(text: str) -> bool:
    """Tell whether this is a name that can be written; what does not print has no place in one."""
    return 0 < len(text) <= MOST_SIGNS and text.isprintable()


def _is_resource(name: str) -> bool:
    return len(name) <= MOST_SIGNS and re.fullmatch(RESOURCE_NAME, name) is not None


def _texts(texts: Mapping[str, str]) -> Mapping[str, str]:
    return _few((name, value) for name, value in texts.items() if _is_text(name) and _is_text(value))


def _amounts(amounts: Mapping[str, Quantity]) -> Mapping[str, Quantity]:
    return _few(
        (name, amount) for name, amount in amounts.items() if _is_resource(name) and len(str(amount)) <= MOST_AMOUNT
    )


def _memory(reserved: Mapping[int, Mapping[str, int]]) -> Mapping[int, Mapping[str, int]]:
    nodes = ((cell, _few(_kinds(limits), MOST_KINDS)) for cell, limits in reserved.items())
    return _few(((cell, limits) for cell, limits in nodes if limits or not reserved[cell]), MOST_CELLS)


def _kinds(limits: Mapping[str, int]) -> Iterator[tuple[str, int]]:
    for kind, amount in limits.items():
        named = _is_text(kind) and re.fullmatch(MEMORY_KIND, kind) is not None
        if named and len(str(Quantity.of_bytes(amount))) <= MOST_AMOUNT:
            yield kind, amount


def _few(entries: Iterable[tuple[_Key, _Value]], most: int = MOST_ENTRIES) -> Mapping[_Key, _Value]:
    found = dict(entries)
    return found if len(found) <= most else {}
