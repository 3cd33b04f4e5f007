"""A finding: what one check has to say about one place of a pod."""

from dataclasses import dataclass
from enum import Enum

from webhook.domain.levels import Level
from webhook.domain.pointer import Path


class Severity(Enum):
    """What a finding does to the decision."""

    INVALID = "invalid"
    """The API server refuses such an object; no repair applies."""
    FAULT = "fault"
    """The pod does not reach `Finding.level`."""
    WARNING = "warning"
    """Worth saying; the decision stays."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One fault or remark, with the place it is about and what to write there instead.

    `code` is the name of the check. `path` starts at the pod's own root (a template's place is put before it later).
    `message` is one line that stands alone: container, value and remedy; no pod name, nothing that varies between
    retries. `actual` and `wanted` are canonical text, or None where there is no value to show. `cure` says who
    else sets the value, where the container is not the author's, and by which setting.
    """

    code: str
    severity: Severity
    level: Level
    path: Path
    message: str
    container: str | None = None
    actual: str | None = None
    wanted: str | None = None
    cure: str = ""
