"""Writes what is told about an object: a condition of a pod, an event, and an object that holds a report."""

from typing import Final

import orjson

from webhook.domain.raw import JsonObject
from webhook.kube.client import APPLY_PATCH
from webhook.kube.client import JSON
from webhook.kube.client import MERGE_PATCH
from webhook.kube.client import STRATEGIC_PATCH
from webhook.kube.client import Ask
from webhook.kube.client import Client
from webhook.kube.listing import read_object
from webhook.kube.resource import Resource

PODS: Final = Resource("", "v1", "pods")
EVENTS: Final = Resource("events.k8s.io", "v1", "events")


def set_condition(
    client: Client, *, namespace: str, name: str, uid: str, condition: JsonObject, manager: str
) -> JsonObject:
    """Set one condition of a pod's status, whatever its others are, and answer the pod as it is then.

    A strategic merge patch: it finds the condition by its type and needs no resource version, so that it is in nobody's
    way. The UID keeps it from a pod of the same name that has come since.

    Raises:
        KubeError: it could not be written; `status` is CONFLICT where the pod is another one.
    """
    ask = Ask(
        method="PATCH",
        path=PODS.path(namespace, name, "status"),
        query={"fieldManager": manager},
        body=orjson.dumps({"metadata": {"uid": uid}, "status": {"conditions": [condition]}}),
        content=STRATEGIC_PATCH,
    )
    return read_object(client.send(ask), str(ask))


def create_event(client: Client, event: JsonObject, *, namespace: str, manager: str) -> None:
    """Create an event.

    Raises:
        KubeError: it could not be written; `status` is CONFLICT where there is one of its name.
    """
    path, query = EVENTS.path(namespace), {"fieldManager": manager}
    client.send(Ask(method="POST", path=path, query=query, body=orjson.dumps(event), content=JSON))


def repeat_event(client: Client, *, namespace: str, name: str, series: JsonObject, manager: str) -> None:
    """Say of an event that it came again: all else of it can never be changed.

    Raises:
        KubeError: it could not be written.
    """
    client.send(
        Ask(
            method="PATCH",
            path=EVENTS.path(namespace, name),
            query={"fieldManager": manager},
            body=orjson.dumps({"series": series}),
            content=MERGE_PATCH,
        )
    )


def apply_object(client: Client, path: str, body: JsonObject, *, manager: str) -> None:
    """Make the object at `path` hold this, whether it is there or not, in one step.

    Server-side apply: it needs the verbs "patch" and, where the object is not there, "create".

    Raises:
        KubeError: it could not be written.
    """
    client.send(
        Ask(
            method="PATCH",
            path=path,
            query={"fieldManager": manager, "force": "true"},
            body=orjson.dumps(body),
            content=APPLY_PATCH,
        )
    )
