"""Writes objects: applies a ConfigMap as a whole, creates and replaces by name, patches a status."""

import uuid
from collections.abc import Mapping
from collections.abc import Sequence
from typing import Final

import orjson

from webhook.domain.raw import JsonObject
from webhook.kube.client import APPLY_PATCH
from webhook.kube.client import JSON_PATCH
from webhook.kube.client import MERGE_PATCH
from webhook.kube.client import Ask
from webhook.kube.client import Client
from webhook.kube.resource import Resource

SECRETS: Final = Resource("", "v1", "secrets")
CONFIG_MAPS: Final = Resource("", "v1", "configmaps")
MANAGER: Final = "numagate-controller"


def apply_config_map(
    client: Client, *, namespace: str, name: str, data: Mapping[str, str], labels: Mapping[str, str]
) -> None:
    """Make the ConfigMap hold this data, whether it is there or not.

    Server-side apply: the API server creates or merges it in one step, so there is no conflict to handle, and what
    somebody else has put under one of our keys is overruled. It needs the verbs "patch" and, where the object is not
    there, "create", both on this name only.

    Raises:
        KubeError: it could not be written.
    """
    body = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": name, "namespace": namespace, "labels": dict(labels)},
        "data": dict(data),
    }
    client.send(
        Ask(
            method="PATCH",
            path=CONFIG_MAPS.path(namespace, name),
            query={"fieldManager": MANAGER, "force": "true"},
            body=orjson.dumps(body),
            content=APPLY_PATCH,
        )
    )


def create_by_name(client: Client, path: str, body: JsonObject) -> None:
    """Create the object at `path`, where there is none; one that somebody else has just created stays as it is.

    Server-side apply under a manager of its own, which owns nothing yet and so may change nothing: unlike POST it names
    the object, so that a role may grant the verbs "create" and "patch" on this name only.

    Raises:
        KubeError: `status` is CONFLICT where another content is there already.
    """
    client.send(
        Ask(
            method="PATCH",
            path=path,
            query={"fieldManager": f"{MANAGER}-{uuid.uuid4()}"},
            body=orjson.dumps(body),
            content=APPLY_PATCH,
        )
    )


def replace(client: Client, path: str, body: JsonObject) -> None:
    """Replace the object at `path`, if it still has the resource version that is in `body`.

    Raises:
        KubeError: `status` is CONFLICT where it has another one.
    """
    client.send(Ask(method="PUT", path=path, query={"fieldManager": MANAGER}, body=orjson.dumps(body)))


def patch_status(client: Client, resource: Resource, *, name: str, status: Mapping[str, object]) -> None:
    """Replace these fields of the status of a cluster-scoped object.

    Raises:
        KubeError: it could not be written.
    """
    client.send(
        Ask(
            method="PATCH",
            path=resource.path(name=name, subresource="status"),
            query={"fieldManager": MANAGER},
            body=orjson.dumps({"status": status}),
            content=MERGE_PATCH,
        )
    )


def patch_json(client: Client, path: str, operations: Sequence[JsonObject]) -> None:
    """Patch the object at `path`, all or nothing; operations that test make sure of what it is like before.

    Raises:
        KubeError: a test failed, or it could not be written.
    """
    client.send(
        Ask(
            method="PATCH",
            path=path,
            query={"fieldManager": MANAGER},
            body=orjson.dumps(list(operations)),
            content=JSON_PATCH,
        )
    )
