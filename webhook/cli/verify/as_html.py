"""Writes the report as one page of HTML that loads nothing, runs nothing and can be printed."""

from collections.abc import Iterable
from pathlib import Path
from typing import Final

from webhook import __version__
from webhook.cli.drawing.html_machine import badge
from webhook.cli.drawing.html_machine import machine
from webhook.cli.drawing.html_tags import Child
from webhook.cli.drawing.html_tags import Html
from webhook.cli.drawing.html_tags import document
from webhook.cli.drawing.html_tags import tag
from webhook.cli.verify import report as words
from webhook.cli.verify.picture import picture
from webhook.cli.verify.report import Report
from webhook.cli.verify.report import Shown
from webhook.domain.observation import Machine
from webhook.domain.observation import ObservedContainer
from webhook.domain.verdict import Outcome
from webhook.domain.verdict import RuleVerdict
from webhook.domain.verdict import weight

STYLE: Final = Path(__file__).with_name("page.css")
CLASSES: Final = {Outcome.ALIGNED: "yes", Outcome.MISALIGNED: "no", Outcome.UNKNOWN: "unenforced"}
"""The colours of the style sheet that all pages have."""


def write(report: Report) -> str:
    """Answer the whole page."""
    pods = [_pod(number, one, report.observation.machine) for number, one in enumerate(report.pods)]
    page = tag("main", _head(report), _node(report), *pods, _foot(report))
    return document(f"numagate verify: {report.observation.node}", page, style=STYLE.read_text(encoding="utf-8"))


def _head(report: Report) -> Html:
    rows = [
        tag("li", tag("a", one.name, href=f"#p{number}"), _chip(one.verdict.outcome), _why(one))
        for number, one in enumerate(report.pods)
    ]
    return tag(
        "header",
        tag("h1", f"Node {report.observation.node}"),
        tag("p", f"{report.summary}.", class_="muted"),
        tag("ul", *rows, class_="overview") if rows else None,
    )


def _chip(outcome: Outcome) -> Html:
    return tag("span", outcome.value, class_=f"verdict {CLASSES[outcome]}")


def _why(shown: Shown) -> Html | None:
    if shown.verdict.outcome is not Outcome.ALIGNED:
        return tag("span", shown.verdict.reason)
    return tag("span", "without CPUs of its own") if words.unpinned(shown.verdict) else None


def _node(report: Report) -> Html:
    observation = report.observation
    faults = [
        tag("p", tag("b", fault.code), f": {fault.reason}; {fault.remedy}", class_="because")
        for fault in report.verdict.faults
    ]
    unjudged = [tag("p", f"not judged: {one}", class_="note") for one in words.unjudged(report.verdict)]
    unread = [tag("p", f"not read: {one.field}: {one.reason}", class_="note") for one in words.unread(report)]
    shown: list[Child] = []
    if observation.machine.cells:
        drawing, owners = picture(observation)
        items = [tag("li", badge(index), " ", owner) for index, owner in enumerate(owners)]
        shown = [machine(drawing, owners), tag("ul", *items, class_="owners") if items else None]
    settings = tag("p", words.settings(observation.kubelet), class_="muted")
    nics = [tag("p", one, class_="muted") for one in words.interfaces(observation)]
    return tag("article", tag("h2", "The node"), settings, *nics, *faults, *unjudged, *unread, *shown)


def _pod(number: int, shown: Shown, hardware: Machine) -> Html:
    verdict = shown.verdict
    parts: list[Child] = []
    for name in dict.fromkeys(rule.container for rule in verdict.rules):
        parts.append(tag("h4", "The pod as a whole" if name is None else f"Container {name}"))
        parts.append(_rules(rule for rule in verdict.rules if rule.container == name))
        for one in (one for one in shown.containers if one.name == name):
            unbound = words.unbound(shown, one, hardware)
            parts += [_seen(one), tag("p", f"{unbound}.", class_="note") if unbound else None]
    return tag(
        "article",
        tag("h3", shown.name, _chip(verdict.outcome)),
        tag("p", verdict.reason, class_="because") if verdict.outcome is Outcome.MISALIGNED else None,
        tag("p", f"Promised: {words.promise(verdict)}."),
        tag("p", f"{loose}.", class_="because") if (loose := words.unpinned(verdict)) else None,
        tag("p", f"{weight(verdict.busy)}.", class_="note") if verdict.busy is not None else None,
        *parts,
        id=f"p{number}",
    )


def _rules(rules: Iterable[RuleVerdict]) -> Html:
    rows = [
        tag(
            "tr",
            tag("td", one.rule),
            tag("td", one.wanted),
            tag("td", one.seen),
            tag(
                "td",
                tag("span", one.outcome.value, class_=CLASSES[one.outcome]),
                None if one.outcome is Outcome.ALIGNED else f": {one.reason}",
            ),
        )
        for one in rules
    ]
    heads = tag("tr", *[tag("th", one) for one in ("rule", "promised", "seen", "verdict")])
    return tag("table", tag("thead", heads), tag("tbody", *rows))


def _seen(container: ObservedContainer) -> Html:
    processes = container.processes[: words.MOST_PROCESSES]
    more = len(container.processes) - len(processes)
    lines = [f"{words.affinity(one)} ({one.command})" for one in processes] + ([f"(+{more} processes)"] if more else [])
    return tag("div", *[tag("p", tag("code", one)) for one in lines], _memory(container), class_="seen")


def _memory(container: ObservedContainer) -> Html | None:
    table = words.memory(container)
    if table is None:
        return None
    rows = [
        tag("tr", tag("th", name), *[tag("td", words.megabytes(size)) for size in row])
        for name, row in (*table.rows, ("Own", table.own), ("(Files)", table.files))
    ]
    heads = tag("tr", tag("th", "MBs"), *[tag("th", one) for one in table.columns])
    return tag("table", tag("thead", heads), tag("tbody", *rows), class_="numbers")


def _foot(report: Report) -> Html:
    instant = f"{report.observation.instant:%Y-%m-%dT%H:%M:%SZ}"
    return tag("footer", f"numagate {__version__}, looked at {instant}. Pages of files are shown and not judged.")
