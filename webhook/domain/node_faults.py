"""What is wrong with a node itself: state files that its kubelet refuses, and more NUMA nodes than it takes."""

from collections.abc import Iterator
from itertools import islice
from typing import Final

from webhook.domain import cpu_checkpoint
from webhook.domain.kubelet.hint_merger import NONE
from webhook.domain.kubelet.options import StartupError
from webhook.domain.kubelet.options import topology_options
from webhook.domain.observation import CPU_STATE
from webhook.domain.observation import MEMORY_STATE
from webhook.domain.observation import Observation
from webhook.domain.observation import StateFile
from webhook.domain.topology import KubeletSettings
from webhook.domain.verdict import NodeFault

_STATES: Final = frozenset({CPU_STATE, MEMORY_STATE})
"""As fields of what is unread: such a file is there, and is no checkpoint."""


def faults_of(observation: Observation) -> Iterator[NodeFault]:
    """Yield the faults of a node; most of them show only where its kubelet's settings are known."""
    for one in observation.unread:
        if one.field in _STATES:
            yield _refused(one.field, one.reason)
    settings = observation.kubelet
    if settings is None:
        return
    for file in observation.state_files:
        yield from _stale(file, settings, observation.machine.online)
    yield from _too_many_cells(settings, len(observation.machine.cells))


def _stale(file: StateFile, settings: KubeletSettings, online: int) -> Iterator[NodeFault]:
    """Mirror CPU/state/state_checkpoint.go:restoreState, and the same of the memory manager.

    A kubelet that runs wrote the file; one whose settings were changed since does not start again.
    """
    if other := _of_another_policy(file, settings):
        yield _refused(file.name, other)
    elif file.name == CPU_STATE and settings.cpu_manager_policy == "static":
        # Reserved by number alone, they are the kubelet's to choose.
        reserved = settings.reserved_system_cpus or 0
        for what in islice(cpu_checkpoint.refused(file, settings, reserved=reserved, online=online), 1):
            yield _refused(file.name, f"{file.name} {what}")


def why_others_run(observation: Observation) -> str:
    """Say why the kubelet that runs has other settings than those that were read, "" where nothing speaks for it.

    Its managers write their policies down when it starts.
    """
    settings = observation.kubelet
    if settings is None:
        return ""
    why = next(filter(None, (_of_another_policy(file, settings) for file in observation.state_files)), "")
    return why and f"{why}: a drop-in file or a flag says otherwise, or the file was changed since the kubelet started"


def _of_another_policy(file: StateFile, settings: KubeletSettings) -> str:
    policies = {
        CPU_STATE: ("cpuManagerPolicy", settings.cpu_manager_policy),
        MEMORY_STATE: ("memoryManagerPolicy", settings.memory_manager_policy),
    }
    key, wanted = policies.get(file.name, ("", file.policy))
    if file.policy == wanted:
        return ""
    wrote = f"policy {file.policy}" if file.policy else "no policy"
    return f"{file.name} was written by {wrote}, but {key} is {wanted}"


def _refused(name: str, why: str) -> NodeFault:
    remedy = f"drain the node, stop the kubelet, delete {name} in its directory, start the kubelet"
    return NodeFault(f"{name.replace('_', '-')}-stale", f"{why}: the kubelet will not start", remedy)


def _too_many_cells(settings: KubeletSettings, count: int) -> Iterator[NodeFault]:
    """Mirror TM/topology_manager.go:NewManager."""
    if settings.topology_manager_policy == NONE:
        return
    try:
        most = topology_options(settings).max_numa_nodes
    except StartupError as error:
        yield NodeFault("topology-manager-options", str(error), "mend topologyManagerPolicyOptions")
        return
    if count > most:
        reason = (
            f"the machine has {count} NUMA nodes, and the topology manager takes {most}: the kubelet will not start"
        )
        remedy = f'set topologyManagerPolicyOptions max-allowable-numa-nodes: "{count}"'
        yield NodeFault("numa-nodes-over-max", reason, remedy)
