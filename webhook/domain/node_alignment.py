"""Writes a NodeAlignment: what one pass over a node saw, in the words of a NodeProfile, and the verdicts on its pods.

The agent applies the document as it is. Lists are bounded, so that no node grows an object that nobody can store; what
a person wrote (names of pods, reasons with such in them) is shown escaped.
"""

from collections import Counter
from collections.abc import Iterable
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC
from datetime import datetime
from itertools import islice
from typing import Final

from webhook.domain import api
from webhook.domain import cpuset
from webhook.domain.free_cells import free_blocks
from webhook.domain.node_faults import why_others_run
from webhook.domain.observation import Observation
from webhook.domain.observation import ObservedDevice
from webhook.domain.observation import Unread
from webhook.domain.raw import JsonObject
from webhook.domain.topology_document import kubelet_block
from webhook.domain.topology_document import numa_blocks
from webhook.domain.verdict import NodeFault
from webhook.domain.verdict import Outcome
from webhook.domain.verdict import PodVerdict
from webhook.domain.verdict import RuleVerdict
from webhook.domain.visible import visible
from webhook.domain.writable import writable

RENEW_SECONDS: Final = 300
"""An object that says the same is written again after this time, so that its age tells whether the agent is there."""

MOST_PODS: Final = 32
"""Misaligned pods that are named; all are counted."""
MOST_RULES: Final = 8
"""Rules of a misaligned pod that are named."""
MOST_UNREAD: Final = 32
MOST_FAULTS: Final = 16
"""Faults of the node that are named."""
MOST_DEVICES: Final = 1024
"""Devices of one resource; more are no devices but shares of them, and are left out."""
MOST_RESOURCES: Final = 64
"""Resources of devices."""
MOST_TEXT: Final = 512
"""Characters of a text for people."""


def document(
    observation: Observation,
    verdicts: Sequence[PodVerdict],
    *,
    version: str,
    started: datetime | None = None,
    owner: str | None = None,
    faults: Sequence[NodeFault] = (),
) -> JsonObject:
    """Answer the object; `owner` is the UID of its Node, with which it is deleted, `faults` are the node's own."""
    observation = writable(_believed(observation))
    spec: dict[str, object] = {
        "observed": _written(observation.instant),
        "agent": {"version": version, **({"started": _written(started)} if started else {})},
        "numaNodes": len(observation.machine.cells),
        "numa": numa_blocks(observation.machine.cells, observation.machine.online),
        "kubelet": kubelet_block(observation.kubelet, observation.version) if observation.kubelet else None,
        "devices": None if observation.devices is None else _devices(observation.devices),
        "free": free_blocks(observation),
        "pods": _pods(verdicts),
        "faults": [_fault(one) for one in faults[:MOST_FAULTS]],
        "unread": [_unread(one) for one in islice(_all_unread(observation), MOST_UNREAD)],
    }
    metadata: dict[str, object] = {"name": observation.node}
    if owner:
        node = {"apiVersion": "v1", "kind": "Node", "name": observation.node, "uid": owner}
        metadata["ownerReferences"] = [node]
    return {
        "apiVersion": api.API_VERSION,
        "kind": api.ALIGNMENT,
        "metadata": metadata,
        "spec": {name: value for name, value in spec.items() if value},
    }


def _believed(observation: Observation) -> Observation:
    """Leave out settings of the kubelet that the one that runs does not have: better unknown than wrong."""
    why = why_others_run(observation)
    return (
        replace(observation, kubelet=None, unread=(Unread("kubelet", why), *observation.unread)) if why else observation
    )


def _devices(devices: Iterable[ObservedDevice]) -> JsonObject:
    """Answer devices by resource, in a lasting order. A NUMA node that nobody tells is left out, never 0."""
    by_resource: dict[str, list[JsonObject]] = {}
    for device in sorted(devices, key=lambda one: (one.resource, one.id)):
        homes = {} if device.cells is None else {"numa": list(cpuset.ids(device.cells))}
        by_resource.setdefault(device.resource, []).append({"id": device.id, **homes})
    fitting = ((resource, found) for resource, found in by_resource.items() if len(found) <= MOST_DEVICES)
    return dict(islice(fitting, MOST_RESOURCES))


def _pods(verdicts: Sequence[PodVerdict]) -> JsonObject:
    counts = Counter(verdict.outcome for verdict in verdicts)
    wrong = sorted(
        (one for one in verdicts if one.outcome is Outcome.MISALIGNED), key=lambda one: (one.namespace, one.name)
    )
    named = {"misalignedPods": [_misaligned(one) for one in wrong[:MOST_PODS]]} if wrong else {}
    return {**{outcome.value: counts[outcome] for outcome in Outcome}, **named}


def _misaligned(verdict: PodVerdict) -> JsonObject:
    broken = [rule for rule in verdict.rules if rule.outcome is Outcome.MISALIGNED]
    return {
        "namespace": verdict.namespace,
        "name": verdict.name,
        "uid": verdict.uid,
        "reason": _text(verdict.reason),
        **({"forged": True} if verdict.forged else {}),
        **({"rules": [_rule(rule) for rule in broken[:MOST_RULES]]} if broken else {}),
    }


def _rule(rule: RuleVerdict) -> JsonObject:
    container = {} if rule.container is None else {"container": rule.container}
    texts = {"reason": _text(rule.reason), "wanted": _text(rule.wanted), "seen": _text(rule.seen)}
    return {"rule": rule.rule, **container, **texts}


def _fault(fault: NodeFault) -> JsonObject:
    return {"code": fault.code[:64], "reason": _text(fault.reason), "remedy": _text(fault.remedy)}


def _all_unread(observation: Observation) -> Iterable[Unread]:
    """Yield what could not be read of the node; what was missing of a pod is in the verdict on it."""
    yield from observation.unread
    yield from observation.machine.unread


def _unread(unread: Unread) -> JsonObject:
    return {"field": visible(unread.field)[:128], "reason": _text(unread.reason)}


def _text(text: str) -> str:
    shown = visible(text)
    return shown if len(shown) <= MOST_TEXT else f"{shown[: MOST_TEXT - 1]}…"


def _written(instant: datetime) -> str:
    return f"{instant.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}"
