"""Draws a node as it is: who has which CPUs, memory and devices."""

from collections.abc import Iterator

from webhook.domain import cpuset
from webhook.domain.drawing import MachineDrawing
from webhook.domain.drawing import draw
from webhook.domain.kubelet.admit import Admission
from webhook.domain.kubelet.admit import MemoryBlock
from webhook.domain.kubelet.admit import Placement
from webhook.domain.locality import home_of
from webhook.domain.observation import Observation
from webhook.domain.observation import ObservedContainer
from webhook.domain.observation import ObservedDevice
from webhook.domain.topology import Device
from webhook.domain.topology import KubeletSettings
from webhook.domain.topology import NodeClass


def picture(observation: Observation) -> tuple[MachineDrawing, tuple[str, ...]]:
    """Draw the containers that have CPUs, memory or devices of their own; answer who the owners are, by position."""
    placed = {
        f"{pod.namespace}/{pod.name} {one.name}": _placement(one)
        for pod in observation.pods
        for one in pod.containers
        if one.exclusive_cpus or one.devices or one.pinned_memory
    }
    node = NodeClass(
        name=observation.node,
        cells=observation.machine.cells,
        devices=_devices(observation),
        kubelet=observation.kubelet or KubeletSettings(),
    )
    admission = Admission(True, None, None, None, tuple(placed.values()))
    return draw(node, admission), tuple(placed)


def _placement(one: ObservedContainer) -> Placement:
    devices: dict[str, tuple[str, ...]] = {}
    for device in one.devices or ():
        devices[device.resource] = (*devices.get(device.resource, ()), device.id)
    return Placement(
        container=one.name,
        cpus=one.exclusive_cpus or 0,
        cpu_cells=(),
        memory=tuple(
            MemoryBlock(kind, cpuset.ids(cells), size) for kind, (size, cells) in (one.pinned_memory or {}).items()
        ),
        devices=devices,
        device_cells=(),
        hint="",
    )


def _devices(observation: Observation) -> dict[str, tuple[Device, ...]]:
    """Answer all devices: those that the kubelet may give, or where it does not say, those that it gave."""
    found: dict[str, dict[str, Device]] = {}
    for one in (*(observation.devices or ()), *_given(observation)):
        home = one.cells or home_of(observation.machine, None)
        numa = None if home is None else cpuset.ids(home)
        found.setdefault(one.resource, {}).setdefault(one.id, Device(one.id, numa))
    return {resource: tuple(devices.values()) for resource, devices in found.items()}


def _given(observation: Observation) -> Iterator[ObservedDevice]:
    return (one for pod in observation.pods for seen in pod.containers for one in seen.devices or ())
