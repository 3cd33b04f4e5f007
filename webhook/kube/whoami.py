"""Who the API server takes us for: the claims of the token that this process has."""

from collections.abc import Mapping
from typing import Final

import orjson

from webhook.domain.raw import get_object
from webhook.domain.raw import get_texts
from webhook.kube.client import Ask
from webhook.kube.client import Client
from webhook.kube.listing import read_object

_PATH: Final = "/apis/authentication.k8s.io/v1/selfsubjectreviews"


def claims(client: Client) -> Mapping[str, tuple[str, ...]]:
    """Answer what the API server knows of us beside name and groups; everybody may ask that of himself.

    Raises:
        KubeError: it did not answer.
    """
    body = orjson.dumps({"apiVersion": "authentication.k8s.io/v1", "kind": "SelfSubjectReview"})
    found = read_object(client.send(Ask(method="POST", path=_PATH, body=body)), _PATH)
    extra = get_object(found, "status", "userInfo", "extra")
    return {name: get_texts(extra, name) for name in extra}
