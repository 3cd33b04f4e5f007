"""Looks at a node once: its machine, its kubelet, and what every container really has."""

import time
from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC
from datetime import datetime
from functools import partial
from typing import Final

from webhook.domain.observation import Machine
from webhook.domain.observation import Observation
from webhook.domain.observation import ObservedDevice
from webhook.domain.raw import JsonObject
from webhook.domain.topology import KubeletSettings
from webhook.node import pods as node_pods
from webhook.node.budget import Budget
from webhook.node.patience import Patience
from webhook.node.pods import Seen
from webhook.node.readers import cgroups
from webhook.node.readers.cells import memory_total
from webhook.node.readers.cgroups import CpuTime
from webhook.node.readers.files import Gaps
from webhook.node.readers.kubelet_file import read_kubelet
from webhook.node.readers.machine import read_machine
from webhook.node.readers.pod_resources import read_devices
from webhook.node.readers.pod_resources import read_grants
from webhook.node.readers.process import Depth
from webhook.node.readers.processes import ContainerProcesses
from webhook.node.readers.processes import read_processes
from webhook.node.readers.state_files import read_state_files
from webhook.node.roots import Roots

_MOST_NAMES: Final = 3


def _now() -> datetime:
    return datetime.now(UTC)


def _every(_: JsonObject) -> bool:
    return True


@dataclass(frozen=True, slots=True)
class Limits:
    """How long a pass may take in seconds: reading processes in all, one process's numa_maps, a call to the kubelet."""

    processes: float = 10.0
    numa_maps: float = 2.0
    pod_resources: float = 5.0


@dataclass(frozen=True, slots=True)
class Clocks:
    """The time of day, with its offset, and a clock that only goes forward."""

    now: Callable[[], datetime] = _now
    monotonic: Callable[[], float] = time.monotonic


def observe(
    roots: Roots,
    pods: Iterable[JsonObject],
    *,
    node: str,
    configz: JsonObject | None = None,
    version: tuple[int, int] | None = None,
    since: Mapping[str, CpuTime] | None = None,
    is_judged: Callable[[JsonObject], bool] = _every,
    limits: Limits = Limits(),
    clocks: Clocks = Clocks(),
    patience: Patience | None = None,
    complete: bool = False,
) -> Observation:
    """Make one pass over a node. Never raises: what cannot be read is None, and `unread` beside it says why.

    `pods` are the Pod objects of the API server (or the kubelet) and must be older than this call: a container that
    runs there has been given its CPUs before. Those of other nodes and those that have ended are left out. `configz` is
    what the kubelet answered at /configz, else its file is read; `version` is its minor version. `since` is what
    `cpu_times` answered before: the CPUs in use are told for the time in between. `is_judged` says of which pods
    threads and numa_maps are read: it takes time, and holds up the process meanwhile. Whoever looks again and again
    gives one `patience`, which remembers what has not come back. Where `pods` are to be `complete`, those that the
    kubelet has and that are not among them are noted.
    """
    pods = tuple(pods)
    mine = tuple(node_pods.of_node(pods, node))
    one = _Pass(roots, limits, clocks, patience or Patience(), Gaps())
    machine = read_machine(roots)
    kubelet = one.kubelet(configz, version)
    seen = one.see(machine, {key: is_judged(pod) for pod in mine for key in node_pods.container_ids(pod)}, since)
    if complete and seen.grants is not None:
        one.note_strangers(*node_pods.strangers(seen.grants, pods))
    return Observation(
        node=node,
        machine=machine,
        kubelet=kubelet,
        pods=tuple(node_pods.observe_pod(pod, seen) for pod in mine),
        devices=one.devices(machine),
        state_files=read_state_files(roots.kubelet, one.gaps),
        version=version,
        instant=clocks.now(),
        unread=one.gaps.unread,
    )


def cpu_times(roots: Roots, clocks: Clocks = Clocks()) -> Mapping[str, CpuTime]:
    """Read how much CPU time all containers have used so far, for a later `observe`."""
    return cgroups.cpu_times(roots.cgroup, cgroups.find_containers(roots.cgroup), clocks.monotonic)


def _told(names: Sequence[str]) -> str:
    more = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
    return ", ".join(names[:_MOST_NAMES]) + more


@dataclass(frozen=True, slots=True)
class _Pass:
    """One pass over a node, and what it could not read."""

    roots: Roots
    limits: Limits
    clocks: Clocks
    patience: Patience
    gaps: Gaps

    def kubelet(self, configz: JsonObject | None, version: tuple[int, int] | None) -> KubeletSettings | None:
        """Read the kubelet's configuration."""
        # Whether it matters that this is not known, the configuration says.
        file, memory = self.roots.kubelet_config, Gaps().take("memory", partial(memory_total, self.roots.proc))
        found = self.gaps.take("kubelet", partial(read_kubelet, file, configz, memory=memory, version=version))
        if found and found.unsure:
            self.gaps.note("kubelet", found.unsure)
        return found.settings if found else None

    def note_strangers(self, holders: Sequence[str], others: Sequence[str]) -> None:
        """Note pods that nobody named: those with CPUs or devices, and those that may share the CPUs of others."""
        if holders:
            told = _told(holders)
            self.gaps.note("pods", f"the kubelet gave CPUs or devices to {told}, not among the pods that were read")
        if others:
            told = f"the kubelet runs {_told(others)}, not among the pods that were read"
            self.gaps.note("neighbours", f"{told}: whose CPUs these share is not known")

    def devices(self, machine: Machine) -> tuple[ObservedDevice, ...] | None:
        """Ask the kubelet for all devices of the node."""
        socket, seconds = self.roots.pod_resources, self.limits.pod_resources
        found = self.gaps.take("devices", partial(read_devices, socket, seconds=seconds))
        return None if found is None else tuple(node_pods.placed(device, machine) for device in found)

    def see(self, machine: Machine, deep: Mapping[str, bool], since: Mapping[str, CpuTime] | None) -> Seen:
        """Read everything about the containers of `deep`, and look into the processes of those that are true there."""
        socket, seconds = self.roots.pod_resources, self.limits.pod_resources
        grants = self.gaps.take("grants", partial(read_grants, socket, seconds=seconds))
        root = self.roots.cgroup
        if cgroups.is_unified(root):
            found = cgroups.find_containers(root)
        else:
            found = {}
            self.gaps.note("cgroups", f"{root} is no root of cgroup v2: boot with that, or give it by --cgroup")
        paths = {key: found[key] for key in deep if key in found}
        processes = self.gaps.take("processes", partial(self._processes, deep)) or {}
        usage = partial(cgroups.busy, since or {}, cgroups.cpu_times(root, paths, self.clocks.monotonic))
        return Seen(
            machine=machine,
            grants=grants,
            no_grants=self.gaps.reason("grants"),
            cgroups={key: cgroups.read_cgroup(root, path, usage=usage(key)) for key, path in paths.items()},
            no_cgroups=self.gaps.reason("cgroups"),
            processes=processes,
        )

    def _processes(self, deep: Mapping[str, bool]) -> Mapping[str, ContainerProcesses]:
        budget = Budget.of(self.limits.processes, self.clocks.monotonic)
        depths = {
            flag: Depth(budget, self.patience, judged=flag, memory_seconds=self.limits.numa_maps)
            for flag in (False, True)
        }
        return read_processes(self.roots.proc, lambda container: depths[deep[container]] if container in deep else None)
