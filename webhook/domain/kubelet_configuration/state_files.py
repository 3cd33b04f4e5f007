"""Which of the kubelet's state files have to go before it starts with another configuration, and in which order."""

import shlex
from collections.abc import Iterator
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from webhook.domain import cpuset
from webhook.domain.kubelet.options import STRICT_RESERVATION
from webhook.domain.kubelet.options import StartupError
from webhook.domain.kubelet.options import cpu_options
from webhook.domain.kubelet_configuration.subject import Subject
from webhook.domain.observation import StateFile
from webhook.domain.resources import CPU

CPU_STATE: Final = "cpu_manager_state"
MEMORY_STATE: Final = "memory_manager_state"


@dataclass(frozen=True, slots=True)
class Stale:
    """A state file that keeps the kubelet from starting, and why."""

    name: str
    reason: str


def stale_after(was: Subject, now: Subject) -> tuple[Stale, ...]:
    """Answer what has to go where one configuration follows another on a node that was in use."""
    before, after = was.settings, now.settings
    found = []
    if before.cpu_manager_policy != after.cpu_manager_policy:
        found.append(
            Stale(CPU_STATE, _changed("cpuManagerPolicy", before.cpu_manager_policy, after.cpu_manager_policy))
        )
    elif now.is_static:
        found += [Stale(CPU_STATE, reason) for reason in _cpu_changes(was, now)][:1]
    if before.memory_manager_policy != after.memory_manager_policy:
        changed = _changed("memoryManagerPolicy", before.memory_manager_policy, after.memory_manager_policy)
        found.append(Stale(MEMORY_STATE, changed))
    elif now.pins_memory and before.reserved_memory != after.reserved_memory:
        found.append(Stale(MEMORY_STATE, "reservedMemory changes"))
    return tuple(found)


def stale_in(files: Sequence[StateFile], now: Subject) -> tuple[Stale, ...]:
    """Answer what has to go of the files that are there.

    Mirrors CPU/state/state_checkpoint.go:restoreState and CPU/policy_static.go:validateState; what memory was reserved
    when a file was written is not looked at.
    """
    policies = {CPU_STATE: now.settings.cpu_manager_policy, MEMORY_STATE: now.settings.memory_manager_policy}
    found = []
    for file in files:
        policy = policies.get(file.name)
        if policy is None:
            continue
        if file.policy != policy:
            wrote = f"policy {file.policy}" if file.policy else "no policy"
            found.append(Stale(file.name, f"{wrote} wrote it, and the configuration says {policy}"))
        elif file.name == CPU_STATE and now.is_static and file.default_cpus:
            found += [Stale(CPU_STATE, reason) for reason in _cpus_against(file.default_cpus, now)]
    return tuple(found)


def procedure(stale: Sequence[Stale], folder: str) -> tuple[str, ...]:
    """Answer the steps in their order: pods leave first, since what they hold is written in the files."""
    if not stale:
        return ()
    files = shlex.join(sorted({f"{folder.rstrip('/')}/{one.name}" for one in stale}))
    return (
        "kubectl drain NODE --ignore-daemonsets --delete-emptydir-data",
        "systemctl stop kubelet",
        f"rm -f {files}",
        "put the new configuration in place, then: systemctl start kubelet",
        "kubectl uncordon NODE",
    )


def _cpu_changes(was: Subject, now: Subject) -> Iterator[str]:
    strict = _is_strict(was), _is_strict(now)
    if strict[0] != strict[1]:
        yield f"{STRICT_RESERVATION} is switched {'on' if strict[1] else 'off'}"
    if _reserved(was) != _reserved(now):
        yield "other CPUs are reserved, and pods may hold some of them"


def _cpus_against(default: int, now: Subject) -> Iterator[str]:
    reserved = now.reserved_cpus() or now.settings.reserved_system_cpus or 0
    if _is_strict(now) and reserved & default:
        shown = cpuset.format(reserved & default)
        yield f"the reserved CPUs {shown} are in its shared pool, and {STRICT_RESERVATION} keeps them out"
    elif not _is_strict(now) and reserved & ~default:
        yield f"the reserved CPUs {cpuset.format(reserved & ~default)} are not in its shared pool"


def _reserved(subject: Subject) -> object:
    settings = subject.settings
    return subject.reserved_cpus() or settings.reserved_system_cpus or settings.node_allocatable_reservation.get(CPU)


def _is_strict(subject: Subject) -> bool:
    try:
        return subject.is_static and cpu_options(subject.settings).strict_reservation
    except StartupError:
        return False


def _changed(field: str, before: str, after: str) -> str:
    return f"{field} changes from {before} to {after}"
