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
MAX_CAUSES = 100
MAX_FIELD_BYTES = 512
MAX_NAMES = 3
MAX_PLACES = 5
MAX_PLACE = 64
MAX_PLACE_BESIDE_TEXT = 32
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


def line(finding: Finding, *places: Path) -> str:
    """Write a finding in one line: container, what and instead, then field, value and rule code.

    `places` are where it was found, if not where it says.
    """
    container = f"container {finding.container}: " if finding.container else ""
    fields = [field_path(place) for place in places or (finding.path,)]
    field = ", ".join(fields[:MAX_PLACES]) + (f" (+{len(fields) - MAX_PLACES} more)" if fields[MAX_PLACES:] else "")
    values = [text for text in (finding.actual, f"want {finding.wanted}" if finding.wanted else None) if text]
    value = f": {', '.join(values)}" if values else ""
    return escape(f"{container}{told(finding)} [{field}{value}; {finding.code}]")


def lines(findings: Sequence[Finding], places: Sequence[Path]) -> list[str]:
    """Write findings in lines; what several pods of one object have in common is written once, with every place."""
    alike: dict[Finding, list[Path]] = {}
    for finding, place in zip(findings, places, strict=True):
        alike.setdefault(finding, []).append(place)
    return [line(finding, *found) for finding, found in alike.items()]


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


def causes(found: Sequence[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    """Bound the field and the line of each finding; beyond `MAX_CAUSES` the last one says how many more there are.

    A pod may hold 3 MiB of faults, and the reply goes to a person and into the audit log.
    """
    shown = len(found) if len(found) <= MAX_CAUSES else MAX_CAUSES - 1
    kept = [
        (cut_bytes(escape(place), MAX_FIELD_BYTES), cut_bytes(escape(text), MESSAGE_BYTES))
        for place, text in found[:shown]
    ]
    if shown < len(found):
        kept.append((kept[-1][0], f"{len(found) - shown} more findings; numagate lint shows them all"))
    return tuple(kept)


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


def would_repair_warning(edit: Edit, where: str | None = None) -> str:
    """Say what a repair will set in the pods of a template, and what to write instead.

    `where` is the pod in the object, for one with others beside it, or that is in no one piece: then the field is
    written out as far as there is room.
    """
    who, pod, key = _who(edit.container), _who(edit.container, where), f"{edit.path[-2]}.{edit.path[-1]}"
    was = "unset" if edit.old is None else edit.old
    if edit.cure:
        return _fit(f"{pod}{key} is {was}; {edit.cure}", f"{who}{key} is {was}; {edit.cure}")
    value, outlook = f"{edit.new} (is {was})", "; its pods will be repaired so"
    field = key if where is None else field_path(edit.path)
    full = f"{who}write {field}: {value}"
    return _fit(full + outlook, full, f"{pod}write {key}: {value}", f"{who}write {key}: {value}")


def finding_warning(finding: Finding, where: str | None = None, *, room: int = WARNING_CHARACTERS) -> str:
    """Write a finding as a warning; where it is too long, the explanation is left out and what to write stays.

    `where` is the pod in an object that has several.
    """
    container = _who(finding.container, where)
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

    >>> named(["llama", "qwen", "gemma", "phi"], room=15, more="24 pods")
    'llama, qwen (+2 more; 24 pods)'
    """
    shown = [_short(name) for name in names[:MAX_NAMES]]
    while len(shown) > 1 and len(", ".join(shown)) > room:
        shown.pop()
    left = len(names) - len(shown)
    notes = "; ".join(note for note in (f"+{left} more" if left else "", more) if note)
    return _cut(", ".join(shown), room) + (f" ({notes})" if notes else "")


def placed(root: Path, *, room: int) -> str:
    """Name a pod by its place in the object; of a long one the end is what tells it from others.

    >>> placed(("spec", "roles", 0, "template", "spec"), room=30), placed(("spec", "roles", 0, "template"), room=15)
    ('spec.roles[0].template', '….template')
    """
    text = escape(field_path(root[:-1] if len(root) > 1 and root[-1] == "spec" else root))
    if len(text) <= room:
        return text
    end = text[1 - room :]
    return "…" + end[max(end.find("."), 0) :]


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


def _who(container: str | None, where: str | None = None) -> str:
    """Name a container, a pod, or both."""
    if not container:
        return f"{where}: " if where else ""
    return f"{_short(container)} in {where}: " if where else f"{_short(container)}: "


def _short(name: str | None) -> str:
    return _cut(escape(name or "?"), 32)


def _cut(text: str, limit: int) -> str:
    return text if len(text) <= limit else text[: limit - 1] + "…"
