"""Writes objects: applies a ConfigMap as a whole, patches a status."""

from collections.abc import Mapping
from typing import Final

import orjson

from webhook.kube.client import APPLY_PATCH
from webhook.kube.client import MERGE_PATCH
from webhook.kube.client import Ask
from webhook.kube.client import Client
from webhook.kube.resource import Resource

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
