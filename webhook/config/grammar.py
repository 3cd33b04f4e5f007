"""Holds a document against the grammar of its kind. Only documents that people wrote need it: pydantic loads slowly."""

from collections.abc import Mapping

from webhook.config.document import Document
from webhook.config.policy_schema import AlignmentPolicy
from webhook.config.profile_schema import NodeProfile
from webhook.config.schema import Model
from webhook.config.schema import check_model
from webhook.config.words import shorten
from webhook.config.words import suggest
from webhook.domain.raw import get_text

API_VERSION = "numagate.io/v1alpha1"
_MODELS: Mapping[str, type[Model]] = {"AlignmentPolicy": AlignmentPolicy, "NodeProfile": NodeProfile}


def check(document: Document) -> None:
    """Refuse a document that is not of our API, or that its grammar does not allow.

    Raises:
        PolicyError: about the first thing that is wrong, with its line.
    """
    version = get_text(document.data, "apiVersion")
    if version != API_VERSION:
        raise document.error(("apiVersion",), f"{shorten(version)} is not known: write {API_VERSION}")
    model = _MODELS.get(document.kind)
    if model is None:
        raise document.error(("kind",), f"{shorten(document.kind)} is not known: {suggest(document.kind, _MODELS)}")
    check_model(document, model)
