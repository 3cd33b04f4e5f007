"""Both webhook configurations in the cluster: read and patched by name, with no other right."""

from typing import Final

from webhook.controller.drift import Patch
from webhook.domain.raw import JsonObject
from webhook.kube.apply import patch_json
from webhook.kube.client import Ask
from webhook.kube.client import Client
from webhook.kube.error import KubeError
from webhook.kube.listing import read_object
from webhook.kube.resource import Resource

NAME: Final = "numagate"

_GROUP: Final = "admissionregistration.k8s.io"


class ClusterConfigurations:
    """What is installed in the cluster; `word` is "mutating" or "validating"."""

    def __init__(self, client: Client) -> None:
        self._client = client

    def read(self, word: str) -> JsonObject | None:
        """Answer one, None where it is not installed.

        Raises:
            KubeError: the API server refused, or did not answer.
        """
        path = _path(word)
        try:
            return read_object(self._client.send(Ask(path=path)), path)
        except KubeError as error:
            if error.absent:
                return None
            raise

    def write(self, word: str, patch: Patch) -> None:
        """Patch one.

        Raises:
            KubeError: it has changed in the meantime, or could not be written.
        """
        patch_json(self._client, _path(word), patch)


def _path(word: str) -> str:
    return Resource(_GROUP, "v1", f"{word}webhookconfigurations").path(name=NAME)
