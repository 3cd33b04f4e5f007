"""The policy as it is installed: as it was written, or with everything switched off but looking."""

from collections.abc import Mapping
from typing import Any

import yaml

from webhook.domain.raw import get_object
from webhook.domain.raw import get_text
from webhook.manifests.settings import Manifest
from webhook.manifests.text import dump

_KIND = "AlignmentPolicy"
_BINDING = ("enforce", "repair")
_WRITTEN = ("name", "labels", "annotations")
_LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"

DEFAULT = """\
# Every field that is left out keeps its built-in value.
apiVersion: numagate.io/v1alpha1
kind: AlignmentPolicy
metadata:
  name: default
spec:
  modes:
    enforce: aligned
    repair: aligned
    warn: aligned
    audit: aligned
"""
"""What is installed where no policy file is given."""


def observing(text: str) -> str:
    """Answer the policy stream `text` with the modes enforce and repair set to none, everywhere.

    The stream was read before; node profiles are kept. One without a policy means the built-in one: it is written out.
    """
    return dump(observing_objects(text))


def observing_objects(text: str) -> list[Manifest]:
    """Answer the documents of the stream likewise, each as an object for the API server."""
    return [_observing(document) for document in objects(text)]


def objects(text: str) -> list[Manifest]:
    """Answer the documents of the stream as they were written, each as an object for the API server."""
    documents = [_as_written(document) for document in yaml.safe_load_all(text) if document is not None]
    if not any(document.get("kind") == _KIND for document in documents):
        documents.insert(0, yaml.safe_load(DEFAULT))
    return documents


def fragile(text: str) -> list[str]:
    """Name the policies of the stream that say something by a null, which `kubectl apply` would drop without a word."""
    found = []
    for document in objects(text):
        labels = get_object(document, "spec", "recognition", "labels")
        if any(value is None for value in labels.values()):
            found.append(get_text(get_object(document, "metadata"), "name"))
    return found


def selecting(text: str) -> list[str]:
    """Name the policies of the stream that select namespaces by label."""
    return [
        get_text(get_object(document, "metadata"), "name")
        for document in objects(text)
        if get_object(document, "spec", "match", "namespaceSelector")
    ]


def _as_written(document: dict[str, Any]) -> dict[str, Any]:
    """Leave out what a server added to a document that was fetched: it refuses the uid of an object that is gone."""
    written = get_object(document, "metadata")
    metadata = {field: written[field] for field in _WRITTEN if field in written}
    annotations = {key: value for key, value in get_object(metadata, "annotations").items() if key != _LAST_APPLIED}
    if annotations:
        metadata["annotations"] = annotations
    else:
        metadata.pop("annotations", None)
    return {key: value for key, value in document.items() if key != "status"} | {"metadata": metadata}


def _observing(document: dict[str, Any]) -> dict[str, Any]:
    if document.get("kind") != _KIND:
        return document
    spec = dict(document.get("spec") or {})
    spec["modes"] = _off(spec.get("modes"))
    # A label of a namespace could raise what is none here.
    spec["overrides"] = _off(spec.get("overrides"))
    if spec.get("namespaces"):
        spec["namespaces"] = [{**entry, "modes": _off(entry.get("modes"))} for entry in spec["namespaces"]]
    return {**document, "spec": spec}


def _off(modes: Mapping[str, Any] | None) -> dict[str, Any]:
    return {**dict.fromkeys(_BINDING, "none"), **{k: v for k, v in (modes or {}).items() if k not in _BINDING}}
