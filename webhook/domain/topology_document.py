"""Writes machines and kubelet settings in the words of a NodeProfile's spec, which `config` reads."""

from collections.abc import Iterable
from collections.abc import Mapping

from webhook.domain import cpuset
from webhook.domain.quantity import Quantity
from webhook.domain.raw import JsonObject
from webhook.domain.topology import Cell
from webhook.domain.topology import Core
from webhook.domain.topology import KubeletSettings
from webhook.domain.versions import Version

MOST_LIST = 4096
"""Characters of a CPU list."""
_LEGAL: Mapping[str, frozenset[str]] = {
    "cpuManagerPolicy": frozenset({"none", "static"}),
    "memoryManagerPolicy": frozenset({"None", "Static"}),
    "topologyManagerPolicy": frozenset({"none", "best-effort", "restricted", "single-numa-node"}),
    "topologyManagerScope": frozenset({"container", "pod"}),
}


def numa_blocks(cells: Iterable[Cell], online: int) -> list[JsonObject]:
    """Answer the `numa` of a profile, with the CPUs of the bit set `online` alone, as a kubelet counts them.

    CPUs are written as a list where that says which threads share a core, else core by core.
    """
    return [_block(cell, online) for cell in cells]


def kubelet_block(settings: KubeletSettings, version: Version | None) -> JsonObject:
    """Answer the `kubelet` of a profile; `version` is None where nobody told it, whatever the settings have.

    A policy that no profile can name is left out, too: it is as if nobody told it.
    """
    policies = {
        "cpuManagerPolicy": settings.cpu_manager_policy,
        "memoryManagerPolicy": settings.memory_manager_policy,
        "topologyManagerPolicy": settings.topology_manager_policy,
        "topologyManagerScope": settings.topology_manager_scope,
    }
    reserved = settings.reserved_system_cpus
    amounts = {name: str(amount) for name, amount in settings.node_allocatable_reservation.items()}
    memory = [
        {"numaNode": cell, "limits": {kind: str(Quantity.of_bytes(amount)) for kind, amount in limits.items()}}
        for cell, limits in sorted(settings.reserved_memory.items())
    ]
    told: dict[str, object] = {
        "cpuManagerPolicyOptions": dict(settings.cpu_manager_policy_options),
        "topologyManagerPolicyOptions": dict(settings.topology_manager_policy_options),
        "reservedSystemCPUs": "" if reserved is None else cpuset.format(reserved),
        "nodeAllocatableReservation": amounts,
        "reservedMemory": memory,
        "featureGates": dict(settings.feature_gates),
    }
    return {
        **{name: value for name, value in policies.items() if value in _LEGAL[name]},
        **{name: value for name, value in told.items() if value},
        **({"version": "{}.{}".format(*version)} if version else {}),
    }


def _block(cell: Cell, online: int) -> JsonObject:
    cores = [kept for core in cell.cores if (kept := _online(core, online)) is not None]
    block: dict[str, object] = {"id": cell.id, "memory": str(Quantity.of_bytes(cell.memory))}
    if cores:
        block |= _as_list(cores, cell.id) or {"cores": [_core(core, cell.id) for core in cores]}
    if cell.hugepages:
        block["hugepages"] = dict(cell.hugepages)
    if cell.distances:
        block["distances"] = list(cell.distances)
    return block


def _online(core: Core, online: int) -> Core | None:
    threads = tuple(thread for thread in core.threads if online >> thread & 1)
    return Core(threads, core.socket, core.uncore) if threads else None


def _as_list(cores: list[Core], cell: int) -> JsonObject:
    """Write cores as a CPU list; nothing where it would not be read as the same cores in the same order."""
    width = len(cores[0].threads)
    cpus = sorted(thread for core in cores for thread in core.threads)
    step = len(cores)
    if any(core.uncore is not None or core.socket != cores[0].socket for core in cores):
        return {}
    if len(cpus) != width * step or [core.threads for core in cores] != [tuple(cpus[k::step]) for k in range(step)]:
        return {}
    text = cpuset.format(sum(1 << cpu for cpu in cpus))
    if len(text) > MOST_LIST:
        return {}
    socket = {"socket": cores[0].socket} if cores[0].socket != cell else {}
    return {"cpus": text, "threadsPerCore": width, **socket}


def _core(core: Core, cell: int) -> JsonObject:
    uncore = {} if core.uncore is None else {"uncore": core.uncore}
    return {"threads": list(core.threads), **({"socket": core.socket} if core.socket != cell else {}), **uncore}
