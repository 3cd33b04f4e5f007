"""An edit: one value that a repair puts into a pod."""

from dataclasses import dataclass

from webhook.domain.pointer import Path


@dataclass(frozen=True, slots=True)
class Edit:
    """Set the value at `path` (from the pod's root) to `new`; `old` is None where nothing was written.

    `code` names the finding that the edit cures; `note` is a short reason for the warning, or "".
    `cure` is what to write elsewhere, where somebody else injects the container; see `injectors`.
    """

    code: str
    container: str
    path: Path
    old: str | None
    new: str
    note: str = ""
    cure: str = ""
