"""Writes an explanation as one page of HTML that loads nothing, runs nothing and can be printed."""

from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from typing import Final

from webhook import __version__
from webhook.cli.drawing import wording
from webhook.cli.drawing.html_machine import badge
from webhook.cli.drawing.html_machine import machine
from webhook.cli.drawing.html_tags import Child
from webhook.cli.drawing.html_tags import Html
from webhook.cli.drawing.html_tags import document
from webhook.cli.drawing.html_tags import join
from webhook.cli.drawing.html_tags import tag
from webhook.domain.kubelet.trace import HintList
from webhook.domain.kubelet.trace import Merge
from webhook.engine.explanation import ExplainedClass
from webhook.engine.explanation import ExplainedTemplate
from webhook.engine.explanation import Explanation

MOST_OPEN: Final = 12
"""Longer lists of containers or merges are folded: a click opens them."""


def write(explanation: Explanation) -> str:
    """Answer the whole page."""
    templates = [_template(number, one) for number, one in enumerate(explanation.templates)]
    title = f"numagate explain: {', '.join(one.result.name or one.result.kind for one in explanation.templates[:3])}"
    page = tag("main", _head(explanation), *templates, _left_out(explanation), _foot(explanation))
    return document(title, page)


def _head(explanation: Explanation) -> Html:
    rows = [
        tag(
            "li",
            tag("a", f"{one.result.kind} {one.result.name}", href=f"#t{number}"),
            *[_chip(each) for each in one.classes],
            None if one.classes else tag("span", "not simulated", class_="muted"),
        )
        for number, one in enumerate(explanation.templates)
    ]
    return tag(
        "header",
        tag("h1", "Where these pods land"),
        tag("p", "On an empty node of each class, as its kubelet would decide.", class_="muted"),
        tag("ul", *rows, class_="overview") if rows else tag("p", "No pod template to explain."),
    )


def _chip(one: ExplainedClass) -> Html:
    return tag("span", one.name, tag("b", f" {wording.FITS[one.fits]}"), class_=f"chip {one.fits.value}")


def _template(number: int, template: ExplainedTemplate) -> Html:
    result = template.result
    where = f"{result.file}, line {result.line}, {result.path}, namespace {result.namespace}"
    after = " after the repair" if template.repaired else ""
    return tag(
        "article",
        tag("h2", tag("small", result.kind or "object"), " ", result.name),
        tag("p", where, class_="muted"),
        tag("p", "The webhook: ", tag("b", result.decision), f". QoS class {template.qos}{after}."),
        *[tag("p", reason, class_="because") for reason in template.because],
        *[tag("p", note, class_="note") for note in template.notes],
        _edits(template),
        _folded("containers", len(template.containers), _containers(template)),
        *[_class(template, one) for one in template.classes],
        _ineligible(template.ineligible),
        id=f"t{number}",
    )


def _edits(template: ExplainedTemplate) -> Html | None:
    if not template.repaired:
        return None
    items = [
        tag(
            "li",
            tag("code", f"{edit.path}: {edit.new}"),
            f" (line {edit.line}, {'new' if edit.old is None else f'was {edit.old}'})",
        )
        for edit in template.result.edits
    ]
    return tag("div", tag("p", "Explained as it will be after the repair:"), tag("ul", *items), class_="edits")


def _table(heads: tuple[str, ...], rows: Iterator[Html]) -> Html:
    head = tag("thead", tag("tr", *[tag("th", one) for one in heads]))
    return tag("table", head, tag("tbody", *rows))


def _folded(noun: str, count: int, content: Html | None) -> Html | None:
    if count <= MOST_OPEN:
        return content
    return tag("details", tag("summary", f"{count} {noun}"), content)


def _containers(template: ExplainedTemplate) -> Html:
    def rows() -> Iterator[Html]:
        for index, one in enumerate(template.containers):
            asks = ", ".join(f"{name} {value}" for name, value in one.requests.items())
            yield tag("tr", tag("td", badge(index), " ", one.name), tag("td", one.kind), tag("td", asks or "nothing"))

    return _table(("container", "kind", "requests"), rows())


def _class(template: ExplainedTemplate, one: ExplainedClass) -> Html:
    names = [container.name for container in template.containers]
    return tag(
        "section",
        tag("h3", one.name, tag("span", wording.FITS[one.fits], class_=f"verdict {one.fits.value}")),
        tag("p", "assumed: nobody named a class; name your own with --profile", class_="muted")
        if one.assumed
        else None,
        _answers(one),
        machine(one.drawing, names),
        _folded("placements", len(one.trace.admission.placements), _placements(one)),
        _hints(one),
        class_=f"class {one.fits.value}",
    )


def _answers(one: ExplainedClass) -> Html:
    handler = "" if one.handler in {None, "topology-manager"} else f" ({one.handler})"
    rows: list[tuple[str, Child]] = [("kubelet", tag("code", one.kubelet + handler))]
    if one.reason and one.reason != one.kubelet:
        rows.append(("numagate", one.reason))
    rows.append(("replicas", tag("span", wording.replicas(one.replicas, one.pods), class_="replicas")))
    if one.stranded:
        rows.append(("stranded", one.stranded))
    if one.shapes:
        rows.append(("instead", tag("ul", *[tag("li", shape.text) for shape in one.shapes])))
    settings = ", ".join(f"{name}: {value}" for name, value in one.settings.items())
    rows.append(("settings", tag("span", settings, class_="muted")))
    return tag("dl", *[join([tag("dt", name), tag("dd", value)]) for name, value in rows])


def _placements(one: ExplainedClass) -> Html | None:
    def rows() -> Iterator[Html]:
        for index, placement in enumerate(one.trace.admission.placements):
            has = "; ".join(wording.placed(placement)) or "in the shared pool, not pinned"
            yield tag("tr", tag("td", badge(index), " ", placement.container), tag("td", has))

    return _table(("container", "placed"), rows()) if one.trace.admission.placements else None


def _hints(one: ExplainedClass) -> Html | None:
    merges = one.trace.merges
    if not merges:
        admitted = one.trace.admission.admitted
        return tag("p", f"{wording.NO_HINTS}.", class_="muted") if admitted else None
    rows = [row for merge in merges for row in _merge(merge)]
    key = tag(
        "p", "Sets of NUMA nodes that can serve the request; ", _pill("filled", preferred=True), " are preferred."
    )
    table = _folded("merges of hints", len(merges), _table(("for", "resource", "hints"), iter(rows)))
    return tag("div", tag("h4", "Hints, and what they merge to"), key, table, class_="hints")


def _merge(merge: Merge) -> Iterator[Html]:
    for number, hints in enumerate(merge.lists):
        what = wording.subject(merge) if number == 0 else ""
        yield tag("tr", tag("td", what), tag("td", hints.resource), tag("td", _pills(hints)))
    result = [_pill(_set(merge.cells), preferred=merge.preferred), " "] if merge.cells is not None else []
    verdict = tag("span", wording.outcome(merge), class_="yes" if merge.admitted else "no")
    what = "" if merge.lists else wording.subject(merge)
    yield tag("tr", tag("td", what), tag("td", "merged"), tag("td", *result, verdict), class_="merged")


def _pills(hints: HintList) -> Child:
    if hints.hints is None:
        return tag("span", "no preference", class_="muted")
    if not hints.hints:
        return "no NUMA nodes can serve it"
    pills: list[Child] = [_pill(_set(hint.cells), preferred=hint.preferred) for hint in hints.hints]
    return join([*pills, wording.more(hints)], " ")


def _set(cells: Sequence[int]) -> str:
    return wording.cells(cells)[1:-1]


def _pill(text: str, *, preferred: bool) -> Html:
    return tag("span", text, class_="pill preferred" if preferred else "pill")


def _ineligible(ineligible: Mapping[str, str]) -> Html | None:
    if not ineligible:
        return None
    items = [tag("li", tag("b", name), f": {reason}") for name, reason in ineligible.items()]
    return tag("div", tag("h4", "Classes that the pod does not go to"), tag("ul", *items))


def _left_out(explanation: Explanation) -> Html | None:
    items = [
        tag(
            "li", f"{error.file}{'' if error.line is None else f', line {error.line}'}: cannot be read: {error.message}"
        )
        for error in explanation.errors
    ]
    for reason in dict.fromkeys(one.reason for one in explanation.skipped):
        same = ", ".join(f"{one.kind} {one.name}".strip() for one in explanation.skipped if one.reason == reason)
        items.append(tag("li", f"{same}: {reason}"))
    return tag("article", tag("h2", "Not explained"), tag("ul", *items)) if items else None


def _foot(explanation: Explanation) -> Html:
    return tag("footer", f"numagate {__version__}, policy {explanation.policy}", class_="muted")
