"""What is wrong with a node itself: state files of another policy, and more NUMA nodes than its kubelet takes."""

from collections.abc import Iterator
from typing import Final

from webhook.domain import cpuset
from webhook.domain.kubelet.hint_merger import NONE
from webhook.domain.kubelet.options import StartupError
from webhook.domain.kubelet.options import topology_options
from webhook.domain.observation import Observation
from webhook.domain.observation import StateFile
from webhook.domain.topology import KubeletSettings
from webhook.domain.verdict import NodeFault

CPU_STATE: Final = "cpu_manager_state"
MEMORY_STATE: Final = "memory_manager_state"


def faults_of(observation: Observation) -> Iterator[NodeFault]:
    """Yield the faults of a node whose kubelet's settings are known."""
    settings = observation.kubelet
    if settings is None:
        return
    for file in observation.state_files:
        yield from _stale(file, settings, observation.machine.online)
    yield from _too_many_cells(settings, len(observation.machine.cells))


def _stale(file: StateFile, settings: KubeletSettings, online: int) -> Iterator[NodeFault]:
    """Mirror CPU/state/state_checkpoint.go and CPU/policy_static.go:validateState, and the same of the memory manager.

    A kubelet that runs wrote the file; one whose settings were changed since does not start again.
    """
    policies = {
        CPU_STATE: ("cpuManagerPolicy", settings.cpu_manager_policy),
        MEMORY_STATE: ("memoryManagerPolicy", settings.memory_manager_policy),
    }
    if file.name not in policies:
        return
    key, wanted = policies[file.name]
    remedy = f"drain the node, stop the kubelet, delete {file.name} in its directory, start the kubelet"
    code = f"{file.name.replace('_', '-')}-stale"
    if file.policy != wanted:
        reason = f"{file.name} was written by policy {file.policy}, but {key} is {wanted}: the kubelet will not start"
        yield NodeFault(code, reason, remedy)
    elif online and (gone := (file.default_cpus or 0) & ~online):
        reason = f"{file.name} names CPUs {cpuset.format(gone)}, which are not online: the kubelet will not start"
        yield NodeFault(code, reason, remedy)


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
