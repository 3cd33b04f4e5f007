"""Holds an AlignmentPolicy or NodeProfile that is an object, not a file, against everything that a file must keep."""

from dataclasses import dataclass
from typing import Any

from webhook.config import grammar
from webhook.config.document import Document
from webhook.config.lockout import lockouts
from webhook.domain import api
from webhook.domain.errors import PolicyError
from webhook.domain.pointer import Path
from webhook.domain.raw import JsonObject
from webhook.sources.policy_file import read_profile


@dataclass(frozen=True, slots=True)
class _Places:
    """The places of an object, which has no lines."""

    data: JsonObject

    def __contains__(self, path: object, /) -> bool:
        here: Any = self.data
        try:
            for step in path if isinstance(path, tuple) else ():
                here = here[step]
        except (KeyError, IndexError, TypeError):
            return False
        return True

    def get(self, path: Path, default: int, /) -> int:
        """Answer no line."""
        del path
        return default


def document_of(data: JsonObject) -> Document:
    """Answer an object as a document, whose errors name fields only."""
    return Document(data=data, lines=_Places(data), source="")


def faults(data: JsonObject, *, own_namespace: str) -> tuple[PolicyError, ...]:
    """Answer everything that is wrong with an object of ours; without any it can be in force."""
    document = document_of(data)
    found = grammar.errors(document)
    if found:
        return found
    if document.kind == api.POLICY:
        return tuple(lockouts(document, own_namespace=own_namespace))
    try:
        read_profile(document)
    except PolicyError as error:
        return (error,)
    return ()
