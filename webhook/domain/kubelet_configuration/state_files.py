"""Which of the kubelet's state files have to go before it starts with another configuration, and in which order."""

import shlex
from collections.abc import Iterator
from collections.abc import Sequence
from dataclasses import dataclass

from webhook.domain import cpu_checkpoint
from webhook.domain.kubelet.options import STRICT_RESERVATION
from webhook.domain.kubelet_configuration.subject import Subject
from webhook.domain.observation import CPU_STATE
from webhook.domain.observation import MEMORY_STATE
from webhook.domain.observation import StateFile
from webhook.domain.resources import CPU


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

    Mirrors CPU/state/state_checkpoint.go:restoreState; what memory was reserved when one was written is not looked at.
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
        elif file.name == CPU_STATE and now.is_static:
            found += [Stale(CPU_STATE, reason) for reason in _cpus_against(file, now)][:1]
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
    strict = cpu_checkpoint.is_strict(was.settings), cpu_checkpoint.is_strict(now.settings)
    if strict[0] != strict[1]:
        yield f"{STRICT_RESERVATION} is switched {'on' if strict[1] else 'off'}"
    if _reserved(was) != _reserved(now):
        yield "other CPUs are reserved, and pods may hold some of them"


def _cpus_against(file: StateFile, now: Subject) -> Iterator[str]:
    reserved = now.reserved_cpus() or now.settings.reserved_system_cpus or 0
    online = now.topology.cpus if now.topology else 0
    why = cpu_checkpoint.refused(file, now.settings, reserved=reserved, online=online)
    return (f"it {what}" for what in why)


def _reserved(subject: Subject) -> object:
    settings = subject.settings
    return subject.reserved_cpus() or settings.reserved_system_cpus or settings.node_allocatable_reservation.get(CPU)


def _changed(field: str, before: str, after: str) -> str:
    return f"{field} changes from {before} to {after}"
