"""Writes a report for people: the verdict first, then what is wrong with line numbers, then what to write."""

from collections.abc import Iterator
from collections.abc import Sequence
from itertools import groupby

from webhook.domain import keys
from webhook.domain.output_format import OutputFormat
from webhook.domain.report import DECISIONS
from webhook.domain.report import Report
from webhook.domain.report import ReportedClass
from webhook.domain.report import ReportedEdit
from webhook.domain.report import ReportedFinding
from webhook.domain.report import Result
from webhook.domain.visible import visible

_FITS = {
    "yes": "fits",
    "no": "does not fit",
    "unenforced": "does not enforce alignment",
    "unsure": "not known well enough to say",
}
_GATES = {
    "added": "its pods get it",
    "present": "its pods have it",
    "unverified": "its pods get it where agents verify pods on every node that they may go to",
}
_MOST_CLASSES = 6
"""How many node classes are told one by one."""


def write(report: Report) -> str:
    """Answer the report in lines; errors come last, where a terminal shows them."""
    lines: list[str] = []
    for file, results in groupby(report.results, key=lambda result: result.file):
        lines.append(_start(file))
        for result in results:
            lines.extend(_result(result))
        lines.append("")
    for error in report.errors:
        place = f":{error.line}" if error.line is not None else ""
        document = f" (document {error.document})" if error.document is not None else ""
        lines.append(f"{_start(error.file)}{place}{document}: cannot be read: {visible(error.message)}")
    if report.errors:
        lines.append("")
    lines.extend(_summary(report))
    return "\n".join(lines)


def _start(text: str) -> str:
    """Make foreign text safe at the start of a line, where CI runners look for commands."""
    shown = visible(text)
    return f"./{shown}" if shown.lstrip().startswith("::") else shown


def _result(result: Result) -> Iterator[str]:
    subject = " ".join(visible(part) for part in (result.kind or "object", result.name) if part)
    yield f"  {result.decision.upper():8}{subject}  {visible(result.path)}, line {result.line}"
    reached = f"QoS {result.qos}, level {result.level}; " if result.qos else ""
    pods = "" if result.pods in {None, 1} else f"; {_count(result.pods or 0, 'pod')}"
    yield f"          {reached}namespace {visible(result.namespace)}{pods}"
    yield from (f"          {line}" for line in _classes(result.classes))
    if result.readiness_gate in _GATES:
        yield f"          readiness gate {keys.ALIGNED}: {_GATES[result.readiness_gate]}"
    for finding in result.findings:
        yield f"    {_finding(finding, result.path)}"
    if result.edits:
        yield "    write:"
        for edit in result.edits:
            yield f"      {_edit(edit)}"


def _classes(classes: Sequence[ReportedClass]) -> Iterator[str]:
    """Write a few classes each, and of many how many they are, and first those that do not take the template."""
    if len(classes) <= _MOST_CLASSES:
        yield from map(_class, classes)
    if len(classes) > 1:
        yield _fraction(classes)
    if len(classes) > _MOST_CLASSES:
        told = sorted(classes, key=lambda one: one.fits_after_repair == "yes")[:_MOST_CLASSES]
        yield from map(_class, told)
        yield f"and {len(classes) - len(told)} more; --output json has them all"


def _fraction(classes: Sequence[ReportedClass]) -> str:
    taking = [one for one in classes if one.fits_after_repair == "yes"]
    every, count = (sum(one.nodes or 0 for one in some) for some in (classes, taking))
    nodes = f", {count} of {every} nodes" if every else ""
    return f"fits {len(taking)} of {len(classes)} node classes{nodes}"


def _class(one: ReportedClass) -> str:
    text = f"{visible(one.name)}: {_FITS.get(one.fits, one.fits)}"
    if one.fits_after_repair != one.fits:
        text += f" as written, {_FITS.get(one.fits_after_repair, one.fits_after_repair)} after the repair"
    return f"{text} ({visible(one.reason)})" if one.reason else text


def _finding(finding: ReportedFinding, root: str) -> str:
    path = finding.path.removeprefix(f"{root}.")
    where = "" if path in finding.message else f"{visible(path)}: "
    return f"line {finding.line}: {finding.severity} {finding.code}: {where}{visible(finding.message)}"


def _edit(edit: ReportedEdit) -> str:
    was = f"was {visible(edit.old)}" if edit.old is not None else "new"
    remark = f"{was}; {visible(edit.note)}" if edit.note else was
    return f"line {edit.line}: {visible(edit.path)}: {visible(edit.new)}  ({remark})"


def _summary(report: Report) -> Iterator[str]:
    counts = report.counts
    shown = ", ".join(f"{counts[word]} {word}" for word in DECISIONS if counts[word])
    parts = [
        f"{_count(len(report.results), 'pod template')} in {_count(report.files, 'file')}"
        + (f": {shown}" if shown else "")
    ]
    if report.ignored:
        parts.append(f"{_count(report.ignored, 'object')} without pods")
    if report.errors:
        parts.append(f"{_count(len(report.errors), 'document')} not readable")
    yield "; ".join(parts)
    if report.assumed:
        names = ", ".join(map(visible, report.assumed))
        yield f"assumed node class {names}; name your own with --profile"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


FORMAT = OutputFormat(name="text", write=write)
