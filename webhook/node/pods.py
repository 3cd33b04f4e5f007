"""Puts together what is known of each pod: its object, what the kubelet gave it, its cgroups and its processes."""

import re
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Mapping
from dataclasses import dataclass
from dataclasses import replace
from typing import Final

from webhook.domain import facts
from webhook.domain import instant
from webhook.domain.observation import Machine
from webhook.domain.observation import ObservedCgroup
from webhook.domain.observation import ObservedContainer
from webhook.domain.observation import ObservedDevice
from webhook.domain.observation import ObservedPod
from webhook.domain.phase import has_ended
from webhook.domain.pod import ContainerKind
from webhook.domain.raw import JsonObject
from webhook.domain.raw import as_object
from webhook.domain.raw import get_list
from webhook.domain.raw import get_object
from webhook.domain.raw import get_text
from webhook.node.readers.files import Gaps
from webhook.node.readers.pod_resources import ContainerGrant
from webhook.node.readers.pod_resources import Grants
from webhook.node.readers.processes import MAX_PROCESSES
from webhook.node.readers.processes import ContainerProcesses

_RUNTIME_ID: Final = re.compile(r"[a-z0-9-]{1,32}://([0-9a-f]{64})")
_PCI: Final = re.compile(r"[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]")
_GRANTED: Final = ("exclusive_cpus", "pinned_memory", "devices")
_STATUSES: Final = ("initContainerStatuses", "containerStatuses", "ephemeralContainerStatuses")


@dataclass(frozen=True, slots=True)
class Seen:
    """What was read of the node before its pods are put together; `grants` is None, with why, if it was not."""

    machine: Machine
    grants: Grants | None
    no_grants: str
    cgroups: Mapping[str, ObservedCgroup]
    no_cgroups: str
    processes: Mapping[str, ContainerProcesses]


def of_node(pods: Iterable[JsonObject], node: str) -> Iterator[JsonObject]:
    """Yield the pods that are on this node and have not ended, each once, as it was given last.

    PodResources may still list a pod that has ended, whose CPUs and devices are another's by now. One that is yielded
    twice would share its CPUs with itself.
    """
    once = {_identity(pod): pod for pod in pods}
    for pod in once.values():
        bound = get_text(get_object(pod, "spec"), "nodeName")
        if not has_ended(pod) and bound == node:
            yield pod


def _identity(pod: JsonObject) -> tuple[str, ...]:
    metadata = get_object(pod, "metadata")
    return tuple(get_text(metadata, field) for field in ("namespace", "name", "uid"))


def strangers(grants: Grants, pods: Iterable[JsonObject]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Name the pods of the kubelet that are not among these, ended or not: those with CPUs or devices, and the rest."""
    known = {
        (get_text(metadata, "namespace"), get_text(metadata, "name"))
        for metadata in (get_object(pod, "metadata") for pod in pods)
    }
    holders = {(space, name) for (space, name, _), grant in grants.containers.items() if grant.cpus or grant.devices}
    others = {(space, name) for space, name, _ in grants.containers} - holders
    return _names(holders - known), _names(others - known)


def _names(pods: Iterable[tuple[str, str]]) -> tuple[str, ...]:
    return tuple(f"{space}/{name}" for space, name in sorted(pods))


def container_ids(pod: JsonObject) -> Iterator[str]:
    """Yield the runtime's ids of the pod's containers that run."""
    for status in _statuses(pod).values():
        running = get_object(status, "state", "running")
        identifier = _runtime_id(status)
        if running and identifier:
            yield identifier


def observe_pod(pod: JsonObject, seen: Seen) -> ObservedPod:
    """Put one pod together. Never raises, whatever the object holds."""
    metadata, spec = get_object(pod, "metadata"), get_object(pod, "spec")
    key = get_text(metadata, "namespace"), get_text(metadata, "name")
    statuses = _statuses(pod)
    read = facts.read(pod).containers
    guests = [one.name for one in read if one.kind is ContainerKind.INIT]
    guests += [get_text(one, "name") for one in get_list(spec, "ephemeralContainers")]
    ended = {name for name, status in statuses.items() if _stays_ended(name, status, spec)}
    found = {
        name: _container(name, statuses.get(name, {}), key, seen, ended=name in ended)
        for name in (*(one.name for one in read), *guests)
    }
    return ObservedPod(
        namespace=key[0],
        name=key[1],
        uid=get_text(metadata, "uid"),
        raw=pod,
        containers=tuple(found[one.name] for one in read if one.kind is not ContainerKind.INIT),
        guests=tuple(found[name] for name in guests if found[name].started is not None),
    )


def _statuses(pod: JsonObject) -> dict[str, JsonObject]:
    status = get_object(pod, "status")
    lists = (get_list(status, name) for name in _STATUSES)
    return {get_text(one, "name"): one for many in lists for one in many if isinstance(one, dict)}


def _stays_ended(name: str, status: JsonObject, spec: JsonObject) -> bool:
    """Tell whether a container has ended and is not started again, such as a helper of a Job."""
    terminated = get_object(status, "state", "terminated")
    written = (*get_list(spec, "initContainers"), *get_list(spec, "containers"))
    raw = as_object(next((one for one in written if get_text(one, "name") == name), None))
    policy = get_text(raw, "restartPolicy") or get_text(spec, "restartPolicy")
    if not terminated or raw.get("restartPolicyRules"):
        return False
    return policy == "Never" or (policy == "OnFailure" and terminated.get("exitCode") == 0)


def _runtime_id(status: JsonObject) -> str:
    found = _RUNTIME_ID.fullmatch(get_text(status, "containerID"))
    return found[1] if found else ""


def _container(name: str, status: JsonObject, pod: tuple[str, str], seen: Seen, *, ended: bool) -> ObservedContainer:
    gaps = Gaps()
    identifier = _runtime_id(status)
    started = instant.parse(get_text(get_object(status, "state", "running"), "startedAt"))
    grant = _grant(name, pod, seen, gaps)
    found = seen.processes.get(identifier)
    processes = tuple(found.read) if found else ()
    cgroup = seen.cgroups.get(identifier)
    if started is not None:
        if cgroup is None:
            gaps.note("cgroup", seen.no_cgroups or f"no cgroup of container {identifier or '(without id)'} was found")
        if not processes:
            gaps.note("processes", "none was found: it has ended, or /proc is not that of the host (hostPID)")
    if found and found.left_out:
        more = found.left_out + MAX_PROCESSES
        gaps.note("processes", f"{more} were found, of which {MAX_PROCESSES} were read")
    return ObservedContainer(
        name=name,
        id=identifier,
        started=started,
        exclusive_cpus=grant.cpus if grant else None,
        pinned_memory=grant.memory if grant else None,
        devices=tuple(_devices(grant.devices, seen.machine, gaps)) if grant else None,
        cgroup=cgroup,
        processes=processes,
        ended=ended,
        unread=gaps.unread,
    )


def _grant(name: str, pod: tuple[str, str], seen: Seen, gaps: Gaps) -> ContainerGrant | None:
    if seen.grants is None:
        reason = seen.no_grants
    elif pod in seen.grants.twice:
        reason = "the kubelet lists two pods of this name, one of which has ended, and does not tell them apart"
    else:
        grant = seen.grants.containers.get((*pod, name))
        if grant is not None:
            return grant
        reason = "the kubelet does not list this container (PodResources)"
    for field in _GRANTED:
        gaps.note(field, reason)
    return None


def _devices(devices: Iterable[ObservedDevice], machine: Machine, gaps: Gaps) -> Iterator[ObservedDevice]:
    for device in devices:
        found = placed(device, machine)
        if device.cells and found.cells is None:
            gaps.note("devices", f"{device.id} is near every NUMA node, so it has no home")
        yield found


def placed(device: ObservedDevice, machine: Machine) -> ObservedDevice:
    """Complete where a device is: by sysfs where its id is a PCI address, and nowhere if it is near all NUMA nodes.

    A virtual machine may say of every GPU that it is near all CPUs, which is as good as nothing.
    """
    cells = device.cells
    if cells is None and _PCI.fullmatch(device.id):
        home = next((one.cell for one in machine.pci if one.address == device.id), None)
        cells = None if home is None else 1 << home
    everywhere = sum(1 << cell.id for cell in machine.cells if cell.cores)
    if cells is not None and everywhere.bit_count() > 1 and cells & everywhere == everywhere:
        cells = None
    return device if cells == device.cells else replace(device, cells=cells)
