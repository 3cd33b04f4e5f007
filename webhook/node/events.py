"""Events about pods, as events.k8s.io/v1 wants them: one for each change, under a name that follows from what it says.

A second agent, or the same one after a start, that has the same to say finds the event there already.
"""

import hashlib
from collections.abc import Mapping
from datetime import datetime
from typing import Final

from webhook.domain import api
from webhook.domain.raw import JsonObject
from webhook.node.standing import FALSE
from webhook.node.standing import Standing

FORGED: Final = "PromiseForged"

_ACTION: Final = "Verify"
_MOST_NAME: Final = 200
_FORGED_NOTE: Final = (
    "annotation numagate.io/alignment does not say what the pod's spec earns; it is left out of account: recreate the "
    "pod, and see who may change annotations of pods"
)


def instance_of(node: str) -> str:
    """Answer the name of a node as an event can hold it."""
    return node[: api.MOST_INSTANCE]


def of_standing(standing: Standing, pod: JsonObject, *, node: str, instant: datetime) -> JsonObject:
    """Make the event that says how a pod stands; `pod` is its namespace, name and UID."""
    kind = "Warning" if standing.status == FALSE else "Normal"
    said = "/".join(standing.head)
    return _event(pod, kind, standing.reason, standing.message, said=said, node=node, instant=instant)


def of_forgery(pod: JsonObject, *, node: str, instant: datetime) -> JsonObject:
    """Make the event that says that a pod's annotation is not ours."""
    return _event(pod, "Warning", FORGED, _FORGED_NOTE, said=FORGED, node=node, instant=instant)


def series(count: int, instant: datetime) -> Mapping[str, object]:
    """Answer what an event says that came again."""
    return {"count": count, "lastObservedTime": _written(instant)}


def name_of(event: JsonObject) -> str:
    """Answer the name of one of these events."""
    metadata = event["metadata"]
    assert isinstance(metadata, dict)  # noqa: S101  # made below, for the type checker
    return str(metadata["name"])


def _event(
    pod: JsonObject, kind: str, reason: str, note: str, *, said: str, node: str, instant: datetime
) -> JsonObject:
    digest = hashlib.sha256(f"{pod['uid']}/{said}".encode()).hexdigest()[:16]
    return {
        "apiVersion": "events.k8s.io/v1",
        "kind": "Event",
        "metadata": {"name": f"{str(pod['name'])[:_MOST_NAME].rstrip('-.')}.{digest}", "namespace": pod["namespace"]},
        "eventTime": _written(instant),
        "type": kind,
        "reason": reason,
        "note": note,
        "action": _ACTION,
        "reportingController": api.REPORTER,
        "reportingInstance": instance_of(node),
        "regarding": {"apiVersion": "v1", "kind": "Pod", **pod},
    }


def _written(instant: datetime) -> str:
    """Write a MicroTime."""
    return f"{instant:%Y-%m-%dT%H:%M:%S.%fZ}"
