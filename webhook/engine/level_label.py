"""Finds numagate's own label where users may not write it: in a template or a selector."""

from collections.abc import Iterator

from webhook.domain import keys
from webhook.domain.finding import Finding
from webhook.domain.finding import Severity
from webhook.domain.levels import Level
from webhook.domain.pointer import Path
from webhook.domain.raw import JsonObject
from webhook.domain.raw import as_object
from webhook.domain.raw import get_list
from webhook.domain.raw import get_object
from webhook.domain.workload import Workload

_LABEL: Path = ("metadata", "labels", keys.LEVEL)
_SELECTORS: tuple[Path, ...] = (("spec", "selector"), ("spec", "jobTemplate", "spec", "selector"))


def find(workload: Workload, obj: JsonObject) -> Iterator[Finding]:
    """Yield each place, as a path inside the whole object; a ReplicaSet would make pods that are refused for ever."""
    is_pod = (workload.group, workload.kind) == ("", "Pod")
    for location in workload.locate(obj):
        if not is_pod and keys.LEVEL in get_object(location.pod, "metadata", "labels"):
            yield _finding(location.place(_LABEL))
    for path in _SELECTORS:
        selector = get_object(obj, *map(str, path))
        for place, labels in ((path, selector), ((*path, "matchLabels"), get_object(selector, "matchLabels"))):
            if keys.LEVEL in labels:
                yield _finding((*place, keys.LEVEL))
        for index, expression in enumerate(get_list(selector, "matchExpressions")):
            if as_object(expression).get("key") == keys.LEVEL:
                yield _finding((*path, "matchExpressions", index, "key"))


def _finding(path: Path) -> Finding:
    return Finding(
        code="level-in-template",
        severity=Severity.FAULT,
        level=Level.GUARANTEED,
        path=path,
        message=f"{keys.LEVEL} may not stand in a template or selector: remove it, numagate writes it into pods",
    )
