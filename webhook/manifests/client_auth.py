"""Asking the API server for a certificate: what changes in both Deployments, for kustomize and for the flat rendering.

The API server's half, which no cluster object can change, is written by `numagate certs client`.
"""

from webhook.domain import jsonpatch
from webhook.domain.api import CLIENT_CA_KEY
from webhook.domain.api import CLIENT_CA_SECRET
from webhook.manifests.settings import CONTROLLER
from webhook.manifests.settings import NAME
from webhook.manifests.settings import Manifest
from webhook.manifests.settings import Settings
from webhook.manifests.text import dump_list

COMPONENT = "client-auth"

_FOLDER = "/etc/numagate/client-ca"
_VOLUME = "client-ca"

CA_ARGUMENT = f"--client-ca={_FOLDER}/{CLIENT_CA_KEY}"
NAME_ARGUMENT = "--client-name={}"
MOUNT: Manifest = {"name": _VOLUME, "mountPath": _FOLDER, "readOnly": True}
VOLUME: Manifest = {
    "name": _VOLUME,
    "secret": {"secretName": CLIENT_CA_SECRET, "items": [{"key": CLIENT_CA_KEY, "path": CLIENT_CA_KEY}]},
}


def component(settings: Settings) -> Manifest:
    """Make the kustomize component, to be listed behind all others."""
    return {
        "apiVersion": "kustomize.config.k8s.io/v1alpha1",
        "kind": "Component",
        "patches": [
            {
                # One of them is not there where the policy is a file.
                "target": {"kind": "Deployment", "name": f"{NAME}|{CONTROLLER}"},
                "patch": dump_list(operation.as_dict() for operation in _operations(settings)),
            }
        ],
    }


def asking(settings: Settings, made: list[Manifest]) -> list[Manifest]:
    """Answer `made`, its Deployments changed where the settings ask for client certificates."""
    if not settings.client_auth:
        return made
    return [_patched(settings, manifest) if manifest["kind"] == "Deployment" else manifest for manifest in made]


def _patched(settings: Settings, deployment: Manifest) -> Manifest:
    patched = jsonpatch.apply(deployment, _operations(settings))
    assert isinstance(patched, dict)  # noqa: S101  # no operation is on the whole
    return patched


def _operations(settings: Settings) -> list[jsonpatch.Operation]:
    pod = "/spec/template/spec"
    container = f"{pod}/containers/0"
    arguments = [CA_ARGUMENT, *map(NAME_ARGUMENT.format, settings.client_names)]
    return [
        *(jsonpatch.Operation("add", f"{container}/args/-", argument) for argument in arguments),
        jsonpatch.Operation("add", f"{container}/volumeMounts/-", MOUNT),
        jsonpatch.Operation("add", f"{pod}/volumes/-", VOLUME),
    ]
