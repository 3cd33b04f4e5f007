"""Words for people: the refusal line, the warnings, the causes.

Whatever comes from a manifest is shown escaped and cut; the text never names the pod, so that a controller's retries
say the same thing each time and its events are counted instead of repeated.
"""

from collections.abc import Iterable
from collections.abc import Sequence

from webhook.domain.edit import Edit
from webhook.domain.finding import Finding
from webhook.domain.pointer import Path
from webhook.domain.pointer import field_path

MESSAGE_BYTES = 900
"""Events cut a note at 1024 bytes, and the API server puts the webhook's name before ours."""
WARNING_CHARACTERS = 120
MAX_WARNINGS = 10
MAX_NAMES = 3
MAX_CURE = 48
"""A longer value is no longer something to write, but an explanation."""


def escape(text: str) -> str:
    r"""Show control characters and lone surrogates instead of sending them.

    >>> print(escape("a" + chr(10) + "b"))
    a\nb
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)


def line(finding: Finding, place: Path | None = None) -> str:
    """Write a finding in one line: container, what and instead, then field, value and rule code."""
    container = f"container {finding.container}: " if finding.container else ""
    field = field_path(finding.path if place is None else place)
    values = [text for text in (finding.actual, f"want {finding.wanted}" if finding.wanted else None) if text]
    value = f": {', '.join(values)}" if values else ""
    return escape(f"{container}{told(finding)} [{field}{value}; {finding.code}]")


def told(finding: Finding) -> str:
    """Answer what is wrong and, where the value comes from elsewhere, what to write there."""
    return f"{finding.message}; {finding.cure}" if finding.cure else finding.message


def refusal(lines: Iterable[str]) -> str:
    """Join findings into one message of at most `MESSAGE_BYTES` bytes; "(+N more)" counts what did not fit."""
    rest = list(lines)
    message = ""
    while rest:
        more = f" (+{len(rest) - 1} more)" if len(rest) > 1 else ""
        candidate = f"{message}; {rest[0]}" if message else rest[0]
        if len((candidate + more).encode()) > MESSAGE_BYTES:
            break
        message = candidate
        rest.pop(0)
    if not rest:
        return message
    if message:
        return f"{message} (+{len(rest)} more)"
    return cut_bytes(rest[0], MESSAGE_BYTES - 16) + (f" (+{len(rest) - 1} more)" if len(rest) > 1 else "")


def cut_bytes(text: str, limit: int) -> str:
    """Cut text to `limit` UTF-8 bytes on a character boundary, with an ellipsis where something is missing."""
    data = text.encode()
    if len(data) <= limit:
        return text
    return data[: limit - 3].decode(errors="ignore") + "…"


def repair_warning(edit: Edit) -> str:
    """Say what a repair set and from which value; it ends with what to write into the manifest."""
    side, resource = edit.path[-2], edit.path[-1]
    head = f"{_short(edit.container)}: {side}.{resource} {edit.old or 'unset'} -> {edit.new}"
    note = f" ({edit.note})" if edit.note else ""
    tail = f"; {edit.cure or f'write {side}.{resource}: {edit.new}'}"
    return _fit(head + note + tail, head + tail)


def would_repair_warning(edit: Edit) -> str:
    """Say what a repair will set in the pods of a template, and what to write instead."""
    side, resource = edit.path[-2], edit.path[-1]
    was = "unset" if edit.old is None else edit.old
    if edit.cure:
        return _fit(f"{_short(edit.container)}: {side}.{resource} is {was}; {edit.cure}")
    head = f"{_short(edit.container)}: write {side}.{resource}: {edit.new} (is {was})"
    return _fit(head + "; its pods will be repaired so", head)


def finding_warning(finding: Finding, *, room: int = WARNING_CHARACTERS) -> str:
    """Write a finding as a warning; where it is too long, the explanation is left out and what to write stays."""
    container = f"{_short(finding.container)}: " if finding.container else ""
    code = f" [{finding.code}]"
    if finding.cure:
        left = room - len(code)
        text = escape(container + told(finding))
        return (text if len(text) <= left else _cut(escape(container + finding.cure), left)) + code
    text = escape(container + finding.message)
    wanted = escape(finding.wanted or "")
    if len(text) + len(code) <= room and wanted in text:
        return text + code
    cure = f": write {wanted}" if 0 < len(wanted) <= min(MAX_CURE, room // 3) else ""
    return _cut(text, room - len(cure) - len(code)) + cure + code


def named(names: Sequence[str], *, room: int, more: str = "") -> str:
    """Name as many as `room` has place for, at least one, and count the others; `more` stands beside the count.

    >>> named(["llama", "qwen", "gemma", "phi"], room=20, more="24 pods")
    'llama, qwen (+2 more; 24 pods)'
    """
    shown = [_short(name) for name in names[:MAX_NAMES]]
    while len(shown) > 1 and len(", ".join(shown)) > room:
        shown.pop()
    left = len(names) - len(shown)
    notes = "; ".join(note for note in (f"+{left} more" if left else "", more) if note)
    return _cut(", ".join(shown), room) + (f" ({notes})" if notes else "")


def shortened(text: str, limit: int) -> str:
    """Escape text and cut it to `limit` characters."""
    return _cut(escape(text), limit)


def capped(warnings: Iterable[str]) -> tuple[str, ...]:
    """Keep at most `MAX_WARNINGS` different warnings; the last then says how many more there are."""
    unique = tuple(dict.fromkeys(_cut(escape(text), WARNING_CHARACTERS) for text in warnings))
    if len(unique) <= MAX_WARNINGS:
        return unique
    kept = MAX_WARNINGS - 1
    return (*unique[:kept], f"numagate: {len(unique) - kept} more warnings; numagate lint shows them all")


def _fit(*variants: str) -> str:
    """Answer the first variant that fits a warning, else the last one cut."""
    texts = [escape(variant) for variant in variants]
    return next((text for text in texts if len(text) <= WARNING_CHARACTERS), _cut(texts[-1], WARNING_CHARACTERS))


def _short(name: str | None) -> str:
    return _cut(escape(name or "?"), 32)


def _cut(text: str, limit: int) -> str:
    return text if len(text) <= limit else text[: limit - 1] + "…"
