"""Both webhook configurations, rendered from the policies that a cluster holds as objects."""

from collections.abc import Sequence

from webhook.config import grammar
from webhook.config.document import from_object
from webhook.domain import api
from webhook.domain.policy import Policy
from webhook.domain.policy import selected_labels
from webhook.domain.policy import widest
from webhook.domain.raw import JsonObject
from webhook.manifests.settings import Manifest
from webhook.manifests.webhooks import configurations
from webhook.sources.policy_file import read_policy

_HEAD = {"apiVersion": api.API_VERSION, "kind": api.POLICY}


def render(documents: Sequence[JsonObject], mode: str, *, namespace: str) -> list[Manifest]:
    """Answer what `numagate manifests` would make of these policies for numagate in `namespace`.

    Raises:
        ValueError: `mode` is none.
        PolicyError: a document is no policy.
    """
    policies = sorted(map(_read, documents), key=lambda one: one.order)
    return configurations(widest(policies), namespace=namespace, mode=mode, selected=selected_labels(policies))


def _read(found: JsonObject) -> Policy:
    document = from_object({**_HEAD, **found}, "the policies in force")
    grammar.check(document)
    return read_policy(document)
