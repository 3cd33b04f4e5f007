"""Refuses a policy that reaches for what must start without numagate: kube-system, its own namespace and its own pods.

Those are exempt whatever a policy says. One that names them would promise what it cannot keep; one that means every
namespace or pod does not name them.
"""

from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Mapping
from fnmatch import fnmatchcase

from webhook.config.document import Document
from webhook.config.words import shorten
from webhook.domain.errors import PolicyError
from webhook.domain.pointer import Path
from webhook.domain.raw import JsonObject
from webhook.domain.raw import get_list
from webhook.domain.raw import get_object
from webhook.domain.raw import get_text
from webhook.domain.raw import get_texts
from webhook.engine.exempt import SYSTEM_NAMESPACE

_NAME = "kubernetes.io/metadata.name"
_APP = "app.kubernetes.io/name"
_OWN_PODS = ("numagate", "numagate-controller")


def lockouts(document: Document, *, own_namespace: str = "numagate-system") -> Iterator[PolicyError]:
    """Yield an error for each place of an AlignmentPolicy that names one of them and enforces there."""
    spec = get_object(document.data, "spec")
    modes = get_object(spec, "modes")
    never = (SYSTEM_NAMESPACE, own_namespace)
    for index, entry in enumerate(get_list(spec, "namespaces")):
        if _enforces({**modes, **get_object(entry, "modes")}):
            place: Path = ("spec", "namespaces", index, "match")
            yield from _patterns(document, place, get_texts(entry, "match"), never)
    match = get_object(spec, "match")
    if _enforces(modes):
        yield from _patterns(document, ("spec", "match", "namespaces"), get_texts(match, "namespaces"), never)
        yield from _selected(document, ("spec", "match", "namespaceSelector"), match, _NAME, never)
        yield from _selected(document, ("spec", "match", "podSelector"), match, _APP, _OWN_PODS)


def _enforces(modes: JsonObject) -> bool:
    return modes.get("enforce", "aligned") != "none"


def _patterns(document: Document, place: Path, patterns: Iterable[str], never: Iterable[str]) -> Iterator[PolicyError]:
    for index, pattern in enumerate(patterns):
        found = [name for name in never if pattern.strip("*") and fnmatchcase(name, pattern)]
        if found:
            named = "names a namespace" if pattern == found[0] else f"matches {found[0]},"
            message = f"{shorten(pattern)} {named} which is never enforced: leave it out, or write enforce: none"
            yield document.error((*place, index), message)


def _selected(
    document: Document, place: Path, match: JsonObject, label: str, never: Iterable[str]
) -> Iterator[PolicyError]:
    """Find the values of one label that a selector asks for."""
    selector = get_object(match, str(place[-1]))
    wanted: list[tuple[Path, str]] = []
    labels: Mapping[str, object] = get_object(selector, "matchLabels")
    if label in labels:
        wanted.append(((*place, "matchLabels", label), get_text(labels, label)))
    for index, expression in enumerate(get_list(selector, "matchExpressions")):
        if get_text(expression, "key") == label and get_text(expression, "operator") == "In":
            values = get_texts(expression, "values")
            wanted += [((*place, "matchExpressions", index, "values", at), text) for at, text in enumerate(values)]
    for path, value in wanted:
        if value in never:
            yield document.error(path, f"{shorten(value)} is never governed: numagate and kube-system start without it")
