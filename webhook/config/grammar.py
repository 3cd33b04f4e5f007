"""Holds a document against the grammar of its kind. Only documents that people wrote need it: pydantic loads slowly."""

from collections.abc import Iterator
from collections.abc import Mapping

from webhook.config.document import Document
from webhook.config.lockout import lockouts
from webhook.config.policy_schema import AlignmentPolicy
from webhook.config.profile_schema import NodeProfile
from webhook.config.schema import Model
from webhook.config.schema import check_model
from webhook.config.schema import model_errors
from webhook.config.schema import unknown_in
from webhook.config.words import shorten
from webhook.config.words import suggest
from webhook.domain.api import API_VERSION
from webhook.domain.api import POLICY
from webhook.domain.api import PROFILE
from webhook.domain.errors import PolicyError
from webhook.domain.pointer import Path
from webhook.domain.raw import get_text

_MODELS: Mapping[str, type[Model]] = {POLICY: AlignmentPolicy, PROFILE: NodeProfile}


def check(document: Document) -> None:
    """Refuse a document that is not of our API, or that its grammar does not allow.

    Raises:
        PolicyError: about the first thing that is wrong, with its line.
    """
    check_model(document, _model(document))
    for error in _lockouts(document):
        raise error


def errors(document: Document) -> tuple[PolicyError, ...]:
    """Answer all that `check` would refuse."""
    try:
        model = _model(document)
    except PolicyError as error:
        return (error,)
    return model_errors(document, model) or tuple(_lockouts(document))


def unknown_fields(document: Document) -> tuple[Path, ...]:
    """Answer where the document, of a kind of ours, has a field that its grammar does not know; one a map at a time."""
    return unknown_in(document, _model(document))


def _lockouts(document: Document) -> Iterator[PolicyError]:
    return lockouts(document) if document.kind == POLICY else iter(())


def _model(document: Document) -> type[Model]:
    version = get_text(document.data, "apiVersion")
    if version != API_VERSION:
        raise document.error(("apiVersion",), f"{shorten(version)} is not known: write {API_VERSION}")
    model = _MODELS.get(document.kind)
    if model is None:
        raise document.error(("kind",), f"{shorten(document.kind)} is not known: {suggest(document.kind, _MODELS)}")
    return model
