"""Writes an explanation in lines: the pod, then each node class with verdict, drawing and hints."""

from collections.abc import Iterator
from collections.abc import Sequence
from itertools import groupby
from typing import Final

from webhook.cli.drawing import spans
from webhook.cli.drawing import wording
from webhook.cli.drawing.boxes import LEGEND
from webhook.cli.drawing.boxes import boxes
from webhook.cli.drawing.boxes import style
from webhook.cli.drawing.spans import Line
from webhook.cli.drawing.spans import Span
from webhook.cli.drawing.spans import foreign
from webhook.cli.drawing.spans import line
from webhook.cli.drawing.spans import wrap
from webhook.domain.fit import Fits
from webhook.domain.kubelet.trace import HintList
from webhook.domain.kubelet.trace import Merge
from webhook.domain.report import ReportedEdit
from webhook.engine.explanation import ExplainedClass
from webhook.engine.explanation import ExplainedTemplate
from webhook.engine.explanation import Explanation
from webhook.engine.explanation import Skipped

NARROWEST: Final = 40
WIDEST: Final = 120
MOST_LISTED: Final = 24
"""More containers are counted; a refusal's last merge is always shown. JSON and HTML have them all."""

_STYLES: Final = {Fits.YES: "bold green", Fits.NO: "bold red", Fits.UNENFORCED: "bold yellow"}
_LONGEST: Final = 240


def lines(explanation: Explanation, columns: int) -> Iterator[Line]:
    """Yield the explanation in lines of at most `columns`, which are kept between `NARROWEST` and `WIDEST`."""
    columns = min(WIDEST, max(NARROWEST, columns))
    for template in explanation.templates:
        yield from _template(template, columns)
        yield ()
    for error in explanation.errors:
        place = f":{error.line}" if error.line is not None else ""
        yield from wrap(
            f"{foreign(error.file, _LONGEST)}{place}: cannot be read: {foreign(error.message, _LONGEST)}", columns
        )
    yield from _skipped(explanation.skipped, columns)
    yield from wrap(_summary(explanation), columns)


def _template(template: ExplainedTemplate, columns: int) -> Iterator[Line]:
    result = template.result
    subject = " ".join(part for part in (foreign(result.kind) or "object", foreign(result.name)) if part)
    yield from wrap(subject, columns, style=spans.TITLE)
    where = f"{foreign(result.file, _LONGEST)}, line {result.line}, {foreign(result.path, _LONGEST)}"
    yield from wrap(f"{where}, namespace {foreign(result.namespace)}", columns, indent="  ", hang="  ", style=spans.DIM)
    yield from wrap(_verdict(template), columns, indent="  ", hang="  ")
    for reason in template.because[:MOST_LISTED]:
        yield from wrap(foreign(reason, 2 * _LONGEST), columns, indent="  because: ", hang="    ")
    if template.repaired:
        yield from wrap("explained as it will be after the repair:", columns, indent="  ", hang="  ")
        for edit in result.edits[:MOST_LISTED]:
            yield from wrap(_edit(edit), columns, indent="    ", hang="      ")
        yield from _rest(len(result.edits), "edits")
    for note in template.notes:
        yield from wrap(foreign(note, _LONGEST), columns, indent="  note: ", hang="        ")
    yield from _containers(template, columns)
    for one in template.classes:
        yield ()
        yield from _class(one, columns)
    for name, reason in template.ineligible.items():
        yield ()
        yield from wrap(f"{foreign(name)}: the pod does not go there: {foreign(reason, _LONGEST)}", columns, hang="  ")


def _verdict(template: ExplainedTemplate) -> str:
    after = " after the repair" if template.repaired else ""
    return f"the webhook: {template.result.decision}; QoS class {template.qos}{after}"


def _edit(edit: ReportedEdit) -> str:
    was = "new" if edit.old is None else f"was {foreign(edit.old)}"
    return f"line {edit.line}: {foreign(edit.path, _LONGEST)}: {foreign(edit.new)} ({was})"


def _rest(total: int, noun: str) -> Iterator[Line]:
    if total > MOST_LISTED:
        yield line(f"    (+{total - MOST_LISTED} {noun})")


def _containers(template: ExplainedTemplate, columns: int) -> Iterator[Line]:
    for index, container in enumerate(template.containers[:MOST_LISTED]):
        asks = ", ".join(f"{foreign(name)} {foreign(value)}" for name, value in list(container.requests.items())[:8])
        kind = "" if container.kind == "app" else f" ({container.kind})"
        text = f"{foreign(container.name)}{kind}: {asks or 'requests nothing'}"
        yield from _marked(index, wrap(text, columns - 4))
    yield from _rest(len(template.containers), "containers")


def _marked(index: int, text: Iterator[Line]) -> Iterator[Line]:
    """Put a container's letter before the first line of what is said about it."""
    mark: tuple[Span, ...] = ((wording.letter(index), style(index)), (" ", spans.PLAIN))
    for one in text:
        yield (("  ", spans.PLAIN), *mark, *one)
        mark = (("  ", spans.PLAIN),)


def _class(one: ExplainedClass, columns: int) -> Iterator[Line]:
    assumed = " (assumed)" if one.assumed else ""
    name = foreign(one.name)
    yield line((f"{name}: ", spans.TITLE), (wording.FITS[one.fits].upper(), _STYLES[one.fits]), assumed)
    if one.reason and one.reason != one.kubelet:
        yield from _told("numagate: ", one.reason, columns)
    handler = "" if one.handler in {None, "topology-manager"} else f" ({one.handler})"
    yield from _told("the kubelet: ", one.kubelet + handler, columns)
    replicas = wording.replicas(one.replicas, one.pods)
    yield from _told("replicas: ", "; ".join(filter(None, (replicas, one.stranded))), columns)
    for shape in one.shapes:
        yield from _told("instead: ", shape.text, columns)
    for drawn in boxes(one.drawing, columns - 2):
        yield (("  ", spans.PLAIN), *drawn)
    yield from wrap(LEGEND, columns, indent="  ", hang="  ", style=spans.DIM)
    yield from _placements(one, columns)
    yield from _hints(one, columns)


def _told(what: str, text: str, columns: int) -> Iterator[Line]:
    yield from wrap(foreign(text, 2 * _LONGEST), columns, indent=f"  {what}", hang="    ")


def _placements(one: ExplainedClass, columns: int) -> Iterator[Line]:
    placements = one.trace.admission.placements
    for index, placement in enumerate(placements[:MOST_LISTED]):
        parts = "; ".join(foreign(part, _LONGEST) for part in wording.placed(placement))
        text = f"{foreign(placement.container)}: {parts or 'in the shared pool, not pinned'}"
        yield from _marked(index, wrap(text, columns - 4, hang="  "))
    yield from _rest(len(placements), "containers")


def _hints(one: ExplainedClass, columns: int) -> Iterator[Line]:
    settings = ", ".join(f"{name} {foreign(value, _LONGEST)}" for name, value in one.settings.items())
    yield from wrap(settings, columns, indent="  ", hang="    ", style=spans.DIM)
    merges = one.trace.merges
    if not merges and one.trace.admission.handler is None:
        yield from wrap(wording.NO_HINTS, columns, indent="  ", hang="  ")
    for merge in _some(merges):
        yield from _merge(merge, columns)
    yield from _rest(len(merges), "merges")


def _some(merges: Sequence[Merge]) -> Sequence[Merge]:
    return merges if len(merges) <= MOST_LISTED else (*merges[: MOST_LISTED - 1], merges[-1])


def _merge(merge: Merge, columns: int) -> Iterator[Line]:
    yield from wrap(f"hints for {foreign(wording.subject(merge), 80)}, * preferred", columns, indent="  ", hang="  ")
    for manager, lists in groupby(merge.lists, key=lambda one: one.manager):
        for hints in lists:
            name = foreign(hints.resource) if manager == "devices" else hints.resource
            yield from wrap(f"{name}: {_listed(hints)}", columns, indent="    ", hang="      ")
    cells = "" if merge.cells is None else f"{wording.cells(merge.cells)} "
    yield from wrap(f"merged: {cells}{wording.outcome(merge)}", columns, indent="    ", hang="      ")


def _listed(hints: HintList) -> str:
    if hints.hints is None:
        return "no preference"
    if not hints.hints:
        return "no NUMA nodes can serve it"
    told = [wording.cells(hint.cells) + "*" * hint.preferred for hint in hints.hints]
    return " ".join([*told, wording.more(hints)]).rstrip()


def _skipped(skipped: Sequence[Skipped], columns: int) -> Iterator[Line]:
    """Tell what was left out, one line per reason."""
    for reason in dict.fromkeys(one.reason for one in skipped):
        same = [one for one in skipped if one.reason == reason]
        names = ", ".join(f"{foreign(one.kind) or 'object'} {foreign(one.name)}".rstrip() for one in same[:8])
        more = f", +{len(same) - 8} more" if len(same) > 8 else ""  # noqa: PLR2004 - names beyond eight are no help
        yield from wrap(f"skipped, {reason}: {names}{more}", columns, hang="  ")


def _summary(explanation: Explanation) -> str:
    count, files = len(explanation.templates), explanation.files
    text = f"{count} pod template{'s'[: count != 1]} explained, from {files} file{'s'[: files != 1]}"
    if explanation.assumed:
        names = ", ".join(map(foreign, explanation.assumed))
        text += f"; assumed node class {names}; name your own with --profile"
    return text
