"""What one rule has to say about one field of a KubeletConfiguration."""

from collections.abc import Mapping
from dataclasses import dataclass

from webhook.domain.pointer import Path


@dataclass(frozen=True, slots=True)
class Finding:
    """A fault or a remark, in one line: `message` says what is wrong, `remedy` what to write.

    `fatal` means that the kubelet does not start; else it starts, and does not do what is wanted. `value` is what is
    written at `path`, None where nothing is. `code` is the name of the rule, which puts it there.
    """

    path: Path
    message: str
    remedy: str
    fatal: bool
    value: str | None = None
    code: str = ""


def fault(path: Path, message: str, remedy: str, value: object = None) -> Finding:
    """Make a finding about a kubelet that does not start."""
    return Finding(path, message, remedy, fatal=True, value=_text(value))


def remark(path: Path, message: str, remedy: str, value: object = None) -> Finding:
    """Make a finding about a kubelet that starts."""
    return Finding(path, message, remedy, fatal=False, value=_text(value))


def _text(value: object) -> str | None:
    match value:
        case None:
            return None
        case bool():
            return str(value).lower()
        case Mapping() | list():
            return f"a {'list' if isinstance(value, list) else 'map'} of {len(value)}"
    return str(value)
