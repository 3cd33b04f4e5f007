"""Reads the levels that Namespace objects ask for with the labels `numagate.io/enforce|repair|warn|audit`.

What a label may do to a mode, the policy says; by default it may raise it, never lower it. A label without effect is a
finding.
"""

from collections.abc import Iterator
from collections.abc import Mapping
from dataclasses import replace

from webhook.domain import keys
from webhook.domain.finding import Finding
from webhook.domain.finding import Severity
from webhook.domain.levels import MODES
from webhook.domain.levels import Level
from webhook.domain.levels import Modes
from webhook.domain.policy import Override
from webhook.domain.policy import Overrides
from webhook.domain.raw import JsonObject
from webhook.domain.raw import get_object
from webhook.domain.raw import get_text_map

CODE = "namespace-level"
_LEVELS = {str(level): level for level in Level}


def labels_of(namespace: JsonObject) -> Mapping[str, str]:
    """Answer the labels of a Namespace object."""
    return get_text_map(get_object(namespace, "metadata"), "labels")


def apply(modes: Modes, labels: Mapping[str, str], overrides: Overrides) -> Modes:
    """Answer `modes` with each mode at the level of its label, where the policy lets the label say so."""
    if not labels:
        return modes
    for mode in MODES:
        level = _LEVELS.get(labels.get(keys.DOMAIN + mode, ""))
        if level is not None and _may(getattr(overrides, mode), level, getattr(modes, mode)):
            modes = replace(modes, **{mode: level})
    return modes


def _may(override: Override, level: Level, least: Level) -> bool:
    return override is Override.ANY or (override is Override.RAISE and level > least)


def find(modes: Modes, labels: Mapping[str, str], overrides: Overrides) -> Iterator[Finding]:
    """Yield the level labels that have no effect on `modes`, the levels of the policy."""
    for mode in MODES:
        key = keys.DOMAIN + mode
        word = labels.get(key)
        if word is None:
            continue
        least: Level = getattr(modes, mode)
        if word not in _LEVELS:
            message = f"{word[:40]!r} is no level: write one of {', '.join(_LEVELS)}"
            yield _finding(Severity.INVALID, key, message, word, str(least))
            continue
        override: Override = getattr(overrides, mode)
        if override is Override.NONE and _LEVELS[word] != least:
            message = f"the policy lets no namespace change this mode, so {word} has no effect: it stays at {least}"
            yield _finding(Severity.WARNING, key, message, word, str(least))
        elif override is Override.RAISE and _LEVELS[word] < least:
            message = f"{word} is below the policy's {least}: a namespace may only raise a level, so it has no effect"
            yield _finding(Severity.WARNING, key, message, word, str(least))


def _finding(severity: Severity, key: str, message: str, actual: str, wanted: str) -> Finding:
    return Finding(
        code=CODE,
        severity=severity,
        level=Level.NONE,
        path=("metadata", "labels", key),
        message=f"{key}: {message}",
        actual=actual,
        wanted=wanted,
    )
