"""The one Secret of the certificates in the cluster: read, created and replaced by name, with no other right."""

import base64
import binascii
from collections.abc import Mapping
from dataclasses import dataclass
from dataclasses import field
from typing import Final

from webhook.domain.raw import JsonObject
from webhook.domain.raw import get_object
from webhook.domain.raw import get_text
from webhook.domain.raw import get_text_map
from webhook.kube import apply
from webhook.kube.client import Ask
from webhook.kube.client import Client
from webhook.kube.error import KubeError
from webhook.kube.listing import read_object

_LABELS: Final = {"app.kubernetes.io/name": "numagate", "app.kubernetes.io/component": "controller"}

_OWNER: Final = "cert-manager.io/certificate-name"
"""Annotation of a Secret that cert-manager writes."""


@dataclass(frozen=True, slots=True)
class Stored:
    """The Secret as it was read; without a `manifest` there is none."""

    manifest: JsonObject = field(repr=False)
    data: Mapping[str, bytes] = field(repr=False)

    @property
    def owner(self) -> str:
        """The Certificate of cert-manager that it is of, "" for none."""
        return get_text(get_object(self.manifest, "metadata", "annotations"), _OWNER)


NOTHING: Final = Stored({}, {})


def stored(manifest: JsonObject | None) -> Stored:
    """Decode a Secret; values that cannot be decoded are empty."""
    if manifest is None:
        return NOTHING
    return Stored(manifest, {key: _decoded(value) for key, value in get_text_map(manifest, "data").items()})


class ClusterSecret:
    """The Secret `name` of `namespace`."""

    def __init__(self, client: Client, *, namespace: str, name: str) -> None:
        self._client = client
        self._path = apply.SECRETS.path(namespace, name)
        self._meta = {"name": name, "namespace": namespace}

    def read(self) -> Stored:
        """Answer what is there.

        Raises:
            KubeError: the API server refused, or did not answer.
        """
        try:
            return stored(read_object(self._client.send(Ask(path=self._path)), self._path))
        except KubeError as error:
            if error.absent:
                return NOTHING
            raise

    def write(self, before: Stored, data: Mapping[str, bytes]) -> None:
        """Put `data` in the place of what was read; keys of others stay.

        Raises:
            KubeError: somebody else has written meanwhile (`status` is CONFLICT), or it could not be written.
        """
        encoded = {key: base64.b64encode(value).decode("ascii") for key, value in data.items()}
        if not before.manifest:
            # Not of type kubernetes.io/tls: that one needs a certificate from the start.
            head: JsonObject = {"apiVersion": "v1", "kind": "Secret", "type": "Opaque"}
            made = {**head, "metadata": {**self._meta, "labels": _LABELS}, "data": encoded}
            return apply.create_by_name(self._client, self._path, made)
        meta = get_object(before.manifest, "metadata")
        labelled = {**meta, "labels": {**get_object(meta, "labels"), **_LABELS}}
        kept = {**get_object(before.manifest, "data"), **encoded}
        head = {"apiVersion": "v1", "kind": "Secret"}
        return apply.replace(self._client, self._path, {**before.manifest, **head, "metadata": labelled, "data": kept})


def _decoded(value: str) -> bytes:
    try:
        return base64.b64decode(value, validate=True)
    except (binascii.Error, ValueError):
        return b""
