"""Makes the reports of the tests of output formats."""

from typing import Any

from webhook.domain.report import ReadError
from webhook.domain.report import Report
from webhook.domain.report import ReportedClass
from webhook.domain.report import ReportedEdit
from webhook.domain.report import ReportedFinding
from webhook.domain.report import Result

READ_ERROR = ReadError(file="b.yaml", document=1, line=7, message="key 'a' is given twice: first on line 6")
UNPINNED = "container server gets no exclusive CPUs"
REQUEST = "spec.containers[0].resources.requests[cpu]"

HOSTILE = "\x1b[2J\n::error::x\r##[error]y\u202e[red]<b>\ud800"
"""Text that a terminal, a CI runner, a markup renderer or an encoder would trip over."""


def finding(**fields: Any) -> ReportedFinding:
    """Make a finding about a CPU request below its limit."""
    made: dict[str, Any] = {
        "code": "unequal-resources",
        "severity": "fault",
        "path": REQUEST,
        "line": 9,
        "container": "server",
        "message": "cpu request 4 is below its limit 8",
        "actual": "4",
        "wanted": "8",
    }
    return ReportedFinding(**{**made, **fields})


def result(**fields: Any) -> Result:
    """Make the result of a pod that is fine; `fields` are those of `Result`."""
    made: dict[str, Any] = {
        "file": "a.yaml",
        "document": 0,
        "line": 5,
        "kind": "Pod",
        "name": "llm",
        "namespace": "team-a",
        "path": "spec",
        "decision": "accept",
        "level": "aligned",
        "qos": "Guaranteed",
        "classes": (ReportedClass(name="generic-2x4", fits="yes", fits_after_repair="yes", reason=""),),
        "findings": (),
        "edits": (),
    }
    return Result(**{**made, **fields})


def repaired(**fields: Any) -> Result:
    """Make the result of a pod that needs one edit."""
    made: dict[str, Any] = {
        "decision": "repair",
        "level": "none",
        "qos": "Burstable",
        "classes": (ReportedClass("generic-2x4", "no", "yes", UNPINNED),),
        "findings": (finding(),),
        "edits": (ReportedEdit(path=REQUEST, line=9, old="4", new="8"),),
    }
    return result(**{**made, **fields})


def hostile() -> Result:
    """Make a result with hostile text in every field that a manifest can reach."""
    return result(
        file=HOSTILE,
        kind=HOSTILE,
        name=HOSTILE,
        namespace=HOSTILE,
        path=HOSTILE,
        decision="deny",
        classes=(ReportedClass(HOSTILE, "no", "no", HOSTILE),),
        findings=(finding(path=HOSTILE, container=HOSTILE, message=HOSTILE, actual=HOSTILE, wanted=HOSTILE),),
        edits=(ReportedEdit(path=HOSTILE, line=1, old=HOSTILE, new=HOSTILE, note=HOSTILE),),
    )


def report(*results: Result, **fields: Any) -> Report:
    """Make a report of `results`; `fields` are those of `Report`."""
    made: dict[str, Any] = {"policy": "default", "assumed": (), "files": 1, "errors": (), "ignored": 0}
    return Report(results=results, **{**made, **fields})
