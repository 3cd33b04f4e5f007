"""Writes the report in lines: the node, then each pod with promise and observation side by side."""

from collections.abc import Iterator
from typing import Final

from webhook.cli.drawing import spans
from webhook.cli.drawing.boxes import LEGEND
from webhook.cli.drawing.boxes import boxes
from webhook.cli.drawing.boxes import style
from webhook.cli.drawing.spans import Line
from webhook.cli.drawing.spans import foreign
from webhook.cli.drawing.spans import line
from webhook.cli.drawing.spans import wrap
from webhook.cli.drawing.wording import letter
from webhook.cli.verify import report as words
from webhook.cli.verify.picture import picture
from webhook.cli.verify.report import Report
from webhook.cli.verify.report import Shown
from webhook.domain.observation import Machine
from webhook.domain.observation import ObservedContainer
from webhook.domain.verdict import Outcome
from webhook.domain.verdict import RuleVerdict
from webhook.domain.verdict import weight

NARROWEST: Final = 60
WIDEST: Final = 120

_STYLES: Final = {
    Outcome.ALIGNED: "bold green",
    Outcome.MISALIGNED: "bold red",
    Outcome.UNKNOWN: "bold yellow",
}
_LONGEST: Final = 240
_CODE, _OUTCOME, _NUMBER = 18, 11, 12


def lines(report: Report, columns: int) -> Iterator[Line]:
    """Yield the report in lines of at most `columns`, which are kept between `NARROWEST` and `WIDEST`."""
    columns = min(WIDEST, max(NARROWEST, columns))
    yield from _node(report, columns)
    for shown in report.pods:
        yield ()
        yield from _pod(shown, report.observation.machine, columns)


def _node(report: Report, columns: int) -> Iterator[Line]:
    node, instant = report.observation.node, report.observation.instant
    yield line((f"node {foreign(node, columns - 30)}", spans.TITLE), f" at {instant:%Y-%m-%dT%H:%M:%SZ}")
    yield from wrap(report.summary, columns, indent="  ", hang="  ")
    settings = foreign(words.settings(report.observation.kubelet), _LONGEST)
    yield from wrap(settings, columns, indent="  ", hang="    ", style=spans.DIM)
    for interface in words.interfaces(report.observation):
        yield from wrap(foreign(interface, _LONGEST), columns, indent="  ", hang="    ", style=spans.DIM)
    for fault in report.verdict.faults:
        text = f"{fault.code}: {foreign(fault.reason, _LONGEST)}; {foreign(fault.remedy, _LONGEST)}"
        yield from wrap(text, columns, indent="  FAULT ", hang="    ", style="bold red")
    for told in words.unjudged(report.verdict):
        yield from wrap(foreign(told, _LONGEST), columns, indent="  not judged: ", hang="    ")
    for one in words.unread(report):
        yield from wrap(foreign(f"{one.field}: {one.reason}", _LONGEST), columns, indent="  not read: ", hang="    ")
    if report.observation.machine.cells:
        drawing, owners = picture(report.observation)
        for drawn in boxes(drawing, columns - 2):
            yield (("  ", spans.PLAIN), *drawn)
        yield from wrap(LEGEND, columns, indent="  ", hang="  ", style=spans.DIM)
        for index, owner in enumerate(owners[: spans.LONGEST_NAME]):
            yield line("  ", (letter(index), style(index)), f" {foreign(owner, columns - 4)}")


def _pod(shown: Shown, machine: Machine, columns: int) -> Iterator[Line]:
    verdict = shown.verdict
    yield line((f"{foreign(shown.name, columns - 14)}: ", spans.TITLE), _outcome(verdict.outcome))
    if verdict.outcome is not Outcome.ALIGNED:
        yield from wrap(foreign(verdict.reason, 2 * _LONGEST), columns, indent="  ", hang="  ")
    yield from wrap(foreign(words.promise(verdict), 2 * _LONGEST), columns, indent="  promised: ", hang="    ")
    if loose := words.unpinned(verdict):
        yield from wrap(foreign(loose, 2 * _LONGEST), columns, indent="  ", hang="  ", style="bold yellow")
    if verdict.busy is not None:
        yield from wrap(weight(verdict.busy), columns, indent="  ", hang="  ")
    for name in dict.fromkeys(rule.container for rule in verdict.rules):
        yield from _rules(name, [rule for rule in verdict.rules if rule.container == name], columns)
        for container in (one for one in shown.containers if one.name == name):
            yield from _seen(container, columns)
            if unbound := words.unbound(shown, container, machine):
                yield from wrap(unbound, columns, indent="    ", hang="    ", style="yellow")


def _rules(name: str | None, rules: list[RuleVerdict], columns: int) -> Iterator[Line]:
    width = (columns - _CODE - _OUTCOME - 5) // 2
    title = "the pod as a whole" if name is None else f"container {foreign(name)}"
    heads = (title, "promised", "seen", "")
    yield from _row([(text, spans.DIM) for text in heads], width)
    for rule in rules:
        yield from _row([(rule.rule, ""), (rule.wanted, ""), (rule.seen, ""), _outcome(rule.outcome)], width)
        if rule.outcome is not Outcome.ALIGNED:
            yield from wrap(foreign(rule.reason, 2 * _LONGEST), columns, indent="    - ", hang="      ")


def _row(cells: list[tuple[str, str]], width: int) -> Iterator[Line]:
    """Lay out one row; each cell wraps within its column."""
    widths = (_CODE, width, width, _OUTCOME)
    blocks = [
        [spans.pad(one, columns) for one in wrap(foreign(text, _LONGEST), columns, style=how)]
        for (text, how), columns in zip(cells, widths, strict=True)
    ]
    for one in spans.beside(blocks):
        yield (("  ", spans.PLAIN), *one)


def _outcome(outcome: Outcome) -> tuple[str, str]:
    word = outcome.value if outcome is Outcome.ALIGNED else outcome.value.upper()
    return word, _STYLES[outcome]


def _seen(container: ObservedContainer, columns: int) -> Iterator[Line]:
    """Show what `taskset -cp` and `numastat -p` would say of the container's processes."""
    for process in container.processes[: words.MOST_PROCESSES]:
        text = f"{words.affinity(process)} ({foreign(process.command)})"
        yield from wrap(text, columns, indent="    ", hang="      ")
    if len(container.processes) > words.MOST_PROCESSES:
        yield line(f"    (+{len(container.processes) - words.MOST_PROCESSES} processes)")
    room = (columns - 3 * _NUMBER) // _NUMBER  # beside the names of the rows, "Others" and "Total"
    table = words.memory(container, most=min(room, words.MOST_COLUMNS))
    if table is None:
        return
    yield line("    Memory by NUMA node (in MBs)")
    yield line(" " * 12, *[f"{name:>{_NUMBER}}" for name in table.columns])
    for name, row in (*table.rows, ("Own", table.own), ("(Files)", table.files)):
        yield line(f"    {name:8}", *[f"{words.megabytes(size):>{_NUMBER}}" for size in row])
