"""Whom the webhook configurations tell the API server to trust, and the patch that changes it.

Only what says that its certificates are the controller's is written: another one's caBundle belongs to cert-manager, or
to a person.
"""

import base64
import binascii
from collections.abc import Iterator

from webhook.controller.drift import Difference
from webhook.controller.drift import Drift
from webhook.domain import keys
from webhook.domain.raw import JsonObject
from webhook.domain.raw import as_object
from webhook.domain.raw import get_list
from webhook.domain.raw import get_object
from webhook.domain.raw import get_text

FIELD = "clientConfig/caBundle"


def is_ours(installed: JsonObject) -> bool:
    """Tell whether the caBundle of a configuration is the controller's to write."""
    annotations = get_object(installed, "metadata", "annotations")
    return get_text(annotations, keys.CERTIFICATES) == keys.MANAGED


def bundles(installed: JsonObject) -> Iterator[bytes]:
    """Yield the caBundle of each entry, in PEM, b"" where there is none."""
    for entry in get_list(installed, "webhooks"):
        yield _decoded(get_text(get_object(entry, "clientConfig"), "caBundle"))


def distrust(installed: JsonObject, bundle: bytes) -> Drift:
    """Answer the entries that do not tell to trust `bundle`."""
    encoded = base64.b64encode(bundle).decode("ascii")
    differences = tuple(
        Difference(at, get_text(as_object(entry), "name"), FIELD, encoded)
        for at, entry in enumerate(get_list(installed, "webhooks"))
        if get_text(get_object(entry, "clientConfig"), "caBundle") != encoded
    )
    return Drift(get_text(get_object(installed, "metadata"), "resourceVersion"), differences, ())


def _decoded(text: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return b""
