"""Writes the report as JSON; docs/verify.md names the fields."""

import json
from collections.abc import Iterable
from collections.abc import Mapping

from webhook.cli.verify import report as words
from webhook.cli.verify.report import Report
from webhook.cli.verify.report import Shown
from webhook.domain import cpuset
from webhook.domain.expectation import Expectation
from webhook.domain.observation import Observation
from webhook.domain.observation import ObservedCgroup
from webhook.domain.observation import ObservedContainer
from webhook.domain.observation import ObservedProcess
from webhook.domain.observation import Unread
from webhook.domain.topology import KubeletSettings
from webhook.domain.verdict import Outcome
from webhook.domain.verdict import RuleVerdict
from webhook.domain.verdict import weight
from webhook.domain.versions import Version

VERSION = 1


def write(report: Report) -> str:
    """Answer the document."""
    observation, verdict = report.observation, report.verdict
    document = {
        "version": VERSION,
        "node": observation.node,
        "instant": f"{observation.instant:%Y-%m-%dT%H:%M:%SZ}",
        "summary": {
            **{outcome.value: sum(one.verdict.outcome is outcome for one in report.pods) for outcome in Outcome},
            "others": verdict.others,
        },
        "faults": [{"code": one.code, "reason": one.reason, "remedy": one.remedy} for one in verdict.faults],
        "kubelet": None if observation.kubelet is None else _kubelet(observation.kubelet, observation.version),
        "machine": _machine(observation),
        "pods": [_pod(one) for one in report.pods],
        "unjudged": [{"namespace": one.namespace, "name": one.name, "reason": one.why} for one in verdict.unjudged],
        "unread": _unread(words.unread(report)),
    }
    return json.dumps(document, indent=2, ensure_ascii=True, allow_nan=False) + "\n"


def _kubelet(settings: KubeletSettings, version: Version | None) -> Mapping[str, object]:
    return {
        "cpuManagerPolicy": settings.cpu_manager_policy,
        "memoryManagerPolicy": settings.memory_manager_policy,
        "topologyManagerPolicy": settings.topology_manager_policy,
        "topologyManagerScope": settings.topology_manager_scope,
        "version": None if version is None else ".".join(map(str, version)),
    }


def _machine(observation: Observation) -> Mapping[str, object]:
    machine = observation.machine
    return {
        "cells": [{"id": cell.id, "cpus": cpuset.format(cell.cpus), "bytes": cell.memory} for cell in machine.cells],
        "online": cpuset.format(machine.online),
        "interfaces": [
            {"name": one.name, "cell": one.cell, "irqCpus": _cpus(one.irq_cpus)} for one in machine.interfaces
        ],
    }


def _pod(shown: Shown) -> Mapping[str, object]:
    verdict = shown.verdict
    return {
        "namespace": verdict.namespace,
        "name": verdict.name,
        "uid": verdict.uid,
        "outcome": verdict.outcome.value,
        "reason": verdict.reason,
        "promise": _promise(verdict.promise),
        "unpinned": [] if verdict.promise is None else list(verdict.promise.unpinned),
        "forged": verdict.forged,
        "claimed": _promise(verdict.claimed),
        "busy": None if verdict.busy is None else round(verdict.busy, 3),
        "hint": weight(verdict.busy) or None,
        "rules": [_rule(one) for one in verdict.rules],
        "containers": [_container(one) for one in shown.containers],
    }


def _promise(promise: Expectation | None) -> Mapping[str, object] | None:
    if promise is None:
        return None
    return {
        "level": promise.level,
        "numaNodes": promise.numa_nodes,
        "containers": {
            name: {"cpus": one.cpus, "memory": one.memory, "devices": dict(one.devices)}
            for name, one in promise.containers.items()
        },
        "policy": promise.policy,
        "generation": promise.generation,
    }


def _rule(rule: RuleVerdict) -> Mapping[str, object]:
    return {
        "rule": rule.rule,
        "container": rule.container,
        "outcome": rule.outcome.value,
        "reason": rule.reason,
        "promised": rule.wanted,
        "seen": rule.seen,
    }


def _container(one: ObservedContainer) -> Mapping[str, object]:
    pinned = one.pinned_memory
    return {
        "name": one.name,
        "id": one.id,
        "started": None if one.started is None else f"{one.started:%Y-%m-%dT%H:%M:%SZ}",
        "exclusiveCpus": _cpus(one.exclusive_cpus),
        "pinnedMemory": None
        if pinned is None
        else {kind: {"bytes": size, "cells": _cpus(cells)} for kind, (size, cells) in pinned.items()},
        "devices": None
        if one.devices is None
        else [{"resource": each.resource, "id": each.id, "cells": _cpus(each.cells)} for each in one.devices],
        "cgroup": None if one.cgroup is None else _cgroup(one.cgroup),
        "processes": [_process(each) for each in one.processes],
        "unread": _unread(one.unread),
    }


def _cgroup(cgroup: ObservedCgroup) -> Mapping[str, object]:
    return {
        "path": cgroup.path,
        "cpus": _cpus(cgroup.cpus),
        "effectiveCpus": _cpus(cgroup.effective_cpus),
        "cells": _cpus(cgroup.cells),
        "effectiveCells": _cpus(cgroup.effective_cells),
        "quota": None if cgroup.quota is None else list(cgroup.quota),
        "usage": None if cgroup.usage is None else round(cgroup.usage, 3),
        "unread": _unread(cgroup.unread),
    }


def _process(process: ObservedProcess) -> Mapping[str, object]:
    memory = process.memory
    kinds = ("anonymous", "heap", "stack", "huge", "files")
    return {
        "pid": process.pid,
        "command": process.command,
        "cpus": _cpus(process.cpus),
        "cells": _cpus(process.cells),
        "memory": None
        if memory is None
        else {kind: {str(cell): size for cell, size in getattr(memory, kind).by_cell.items()} for kind in kinds},
        "unread": _unread(process.unread),
    }


def _unread(many: Iterable[Unread]) -> list[Mapping[str, str]]:
    return [{"field": one.field, "reason": one.reason} for one in many]


def _cpus(bits: int | None) -> str | None:
    return None if bits is None else cpuset.format(bits)
