"""Writes a report as JSON, schema `numagate.io/lint/v1`: fields are added to it, never renamed or removed.

Whatever is not printable ASCII is written as an escape, so that nothing in a manifest reaches a terminal as it is.
"""

import json

from webhook.domain.output_format import OutputFormat
from webhook.domain.report import Report
from webhook.domain.report import Result

SCHEMA = "numagate.io/lint/v1"


def write(report: Report) -> str:
    """Answer one JSON object over several lines, always with the same keys in the same order."""
    document = {
        "schema": SCHEMA,
        "results": [_result(result) for result in report.results],
        "errors": [
            {"file": error.file, "document": error.document, "line": error.line, "message": error.message}
            for error in report.errors
        ],
        "summary": {
            "files": report.files,
            "results": len(report.results),
            **report.counts,
            "ignored": report.ignored,
            "errors": len(report.errors),
            "policy": report.policy,
            "assumedClasses": list(report.assumed),
        },
    }
    return json.dumps(document, indent=2, ensure_ascii=True, allow_nan=False)


def _result(result: Result) -> dict[str, object]:
    return {
        "file": result.file,
        "document": result.document,
        "line": result.line,
        "kind": result.kind,
        "name": result.name,
        "namespace": result.namespace,
        "path": result.path,
        "pods": result.pods,
        "decision": result.decision,
        "level": result.level,
        "qos": result.qos,
        "readinessGate": result.readiness_gate,
        "classes": [
            {
                "name": one.name,
                "fits": one.fits,
                "fitsAfterRepair": one.fits_after_repair,
                "reason": one.reason,
                "nodes": one.nodes,
            }
            for one in result.classes
        ],
        "findings": [
            {
                "code": finding.code,
                "severity": finding.severity,
                "path": finding.path,
                "line": finding.line,
                "container": finding.container,
                "message": finding.message,
                "actual": finding.actual,
                "wanted": finding.wanted,
            }
            for finding in result.findings
        ],
        "edits": [{"path": edit.path, "old": edit.old, "new": edit.new} for edit in result.edits],
    }


FORMAT = OutputFormat(name="json", write=write)
