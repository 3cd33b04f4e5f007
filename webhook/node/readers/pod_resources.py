"""Asks the kubelet over its Unix socket what it gave to containers (PodResources v1).

One pass asks once: the kubelet answers a hundred calls a second to everybody together.
"""

from collections.abc import Iterable
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any
from typing import Final

import grpc
from google.protobuf.message import DecodeError

from webhook.domain import cpuset
from webhook.domain.observation import ObservedDevice
from webhook.domain.visible import visible
from webhook.node.readers import pod_resources_api as api
from webhook.node.readers.cells import MAX_CELL

TIMEOUT_SECONDS: Final = 5.0
MOST: Final = 16 << 20
"""Bytes of an answer; that of 110 pods has a thousandth of it."""
LONGEST: Final = 107
"""Bytes of a socket's path in Linux."""


class PodResourcesError(OSError):
    """The kubelet did not answer, or not in a way that can be understood; the message says why in one line."""


@dataclass(frozen=True, slots=True)
class ContainerGrant:
    """What the kubelet gave to one container; memory is (bytes, bit set of NUMA nodes) by type."""

    cpus: int
    memory: Mapping[str, tuple[int, int]]
    devices: tuple[ObservedDevice, ...]


@dataclass(frozen=True, slots=True)
class Grants:
    """What the kubelet gave, by namespace, name of the pod, and container; `twice` are pods that it named twice.

    The API has no uids: a pod that has ended, and its successor of the same name, may both be there in kubelets
    before 1.34, and in those whose gate KubeletPodResourcesListUseActivePods is off.
    """

    containers: Mapping[tuple[str, str, str], ContainerGrant]
    twice: frozenset[tuple[str, str]] = frozenset()


def read_grants(socket: Path, *, seconds: float = TIMEOUT_SECONDS) -> Grants:
    """Answer what every container of the node has been given.

    Raises:
        OSError: there is no socket, or no usable answer (PodResourcesError).
    """
    return grants_of(_call(socket, api.LIST, "ListPodResourcesRequest", seconds))


def read_devices(socket: Path, *, seconds: float = TIMEOUT_SECONDS) -> tuple[ObservedDevice, ...]:
    """Answer all healthy devices of the node, given or not.

    Raises:
        OSError: there is no socket, or no usable answer (PodResourcesError).
    """
    answer = _call(socket, api.ALLOCATABLE, "AllocatableResourcesRequest", seconds)
    return _devices(_message("AllocatableResourcesResponse", answer).devices)


def grants_of(answer: bytes) -> Grants:
    """Read an answer of the kubelet.

    Raises:
        PodResourcesError: it is none.
    """
    found: dict[tuple[str, str, str], ContainerGrant] = {}
    seen: set[tuple[str, str]] = set()
    twice: set[tuple[str, str]] = set()
    for pod in _message("ListPodResourcesResponse", answer).pod_resources:
        key = pod.namespace, pod.name
        (twice if key in seen else seen).add(key)
        for container, grant in _containers(pod):
            found[*key, container] = grant
    return Grants(MappingProxyType(found), frozenset(twice))


def _call(socket: Path, method: str, request: str, seconds: float) -> bytes:
    socket.stat()  # whose error says more than that of a connection
    if len(bytes(socket.absolute())) > LONGEST:
        message = f"{socket}: too long a path for a socket: link to its folder from one with at most {LONGEST} bytes"
        raise PodResourcesError(message)
    options = (("grpc.max_receive_message_length", MOST), ("grpc.enable_http_proxy", 0))
    try:
        with grpc.insecure_channel(f"unix:{socket.absolute()}", options=options) as channel:
            call: grpc.UnaryUnaryMultiCallable[bytes, bytes] = channel.unary_unary(method)
            return call(api.message(request)().SerializeToString(), timeout=seconds)
    except grpc.RpcError as error:
        message = f"{socket}: {error.code().name}: {error.details() or 'no reason given'}"
        raise PodResourcesError(visible(message)) from None


def _message(name: str, answer: bytes) -> Any:
    try:
        return api.message(name).FromString(answer)
    except DecodeError:
        message = f"the kubelet's answer is no {name}"
        raise PodResourcesError(message) from None


def _containers(pod: Any) -> Iterable[tuple[str, ContainerGrant]]:
    """Answer the containers of a pod; what it was given as a whole belongs to those without CPUs of their own."""
    whole = _cpus(pod.cpu_ids)
    own = {container.name: _cpus(container.cpu_ids) for container in pod.containers}
    for cpus in own.values():
        whole &= ~cpus
    for container in pod.containers:
        yield (
            container.name,
            ContainerGrant(
                cpus=own[container.name] or whole,
                memory=_memory(container.memory or pod.memory),
                devices=(*_devices(container.devices), *_claimed(container.dynamic_resources)),
            ),
        )


def _cpus(numbers: Iterable[int]) -> int:
    bits = 0
    for number in numbers:
        if not 0 <= number <= cpuset.MAX_CPU:
            message = f"CPU {number} of the kubelet's answer cannot be: the highest is {cpuset.MAX_CPU}"
            raise PodResourcesError(message)
        bits |= 1 << number
    return bits


def _memory(blocks: Iterable[Any]) -> Mapping[str, tuple[int, int]]:
    found: dict[str, tuple[int, int]] = {}
    for block in blocks:
        size, cells = found.get(block.memory_type, (0, 0))
        found[block.memory_type] = size + block.size, cells | (_cells(block) or 0)
    return MappingProxyType(found)


def _devices(entries: Iterable[Any]) -> tuple[ObservedDevice, ...]:
    """Join the entries of a device, of which the kubelet makes one for each of its NUMA nodes."""
    found: dict[tuple[str, str], int | None] = {}
    for entry in entries:
        cells = _cells(entry)
        for device in entry.device_ids:
            key = entry.resource_name, device
            known = found.get(key)
            found[key] = cells if known is None else known | (cells or 0)
    return tuple(ObservedDevice(resource, device, cells) for (resource, device), cells in found.items())


def _claimed(resources: Iterable[Any]) -> Iterable[ObservedDevice]:
    """Answer the devices of resource claims, whose NUMA node this API does not tell."""
    for resource in resources:
        for one in resource.claim_resources:
            yield ObservedDevice(one.driver_name, f"{one.pool_name}/{one.device_name}", None)


def _cells(entry: Any) -> int | None:
    """Answer the NUMA nodes of an entry; none of them, or a number that cannot be one, means that nobody knows.

    A node without a number is node 0: the wire format leaves zeros out.
    """
    bits = 0
    for node in entry.topology.nodes if entry.HasField("topology") else ():
        if not 0 <= node.ID <= MAX_CELL:
            return None
        bits |= 1 << node.ID
    return bits or None
