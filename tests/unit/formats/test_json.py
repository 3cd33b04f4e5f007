"""The JSON of lint: schema, order, and nothing that a terminal could obey."""

import json

from reports import HOSTILE
from reports import READ_ERROR
from reports import REQUEST
from reports import UNPINNED
from reports import hostile
from reports import repaired
from reports import report
from reports import result

from webhook.formats.json import FORMAT

RESULT = {
    "file": "a.yaml",
    "document": 0,
    "line": 5,
    "kind": "Pod",
    "name": "llm",
    "namespace": "team-a",
    "path": "spec",
    "pods": None,
    "decision": "repair",
    "level": "none",
    "qos": "Burstable",
    "readinessGate": None,
    "classes": [
        {
            "name": "generic-2x4",
            "fits": "no",
            "fitsAfterRepair": "yes",
            "reason": UNPINNED,
            "nodes": None,
        }
    ],
    "findings": [
        {
            "code": "unequal-resources",
            "severity": "fault",
            "path": REQUEST,
            "line": 9,
            "container": "server",
            "message": "cpu request 4 is below its limit 8",
            "actual": "4",
            "wanted": "8",
        }
    ],
    "edits": [{"path": REQUEST, "old": "4", "new": "8"}],
}
SUMMARY = {
    "files": 2,
    "results": 1,
    "accept": 0,
    "repair": 1,
    "deny": 0,
    "warn": 0,
    "skip": 0,
    "invalid": 0,
    "unknown": 0,
    "ignored": 3,
    "errors": 1,
    "policy": "default",
    "assumedClasses": ["generic-2x4"],
}


def test_the_document_has_every_field_in_its_order() -> None:
    whole = report(repaired(), files=2, ignored=3, errors=(READ_ERROR,), assumed=("generic-2x4",))
    error = {"file": "b.yaml", "document": 1, "line": 7, "message": "key 'a' is given twice: first on line 6"}
    expected = {"schema": "numagate.io/lint/v1", "results": [RESULT], "errors": [error], "summary": SUMMARY}
    assert json.dumps(expected, indent=2) == FORMAT.write(whole)


def test_a_result_without_a_pod_has_null_level_and_qos() -> None:
    (only,) = json.loads(FORMAT.write(report(result(level=None, qos=None))))["results"]
    assert (only["level"], only["qos"]) == (None, None)


def test_hostile_text_is_written_in_printable_ascii_and_read_back_as_it_was() -> None:
    text = FORMAT.write(report(hostile()))
    assert set(text) <= {"\n", *map(chr, range(0x20, 0x7F))}
    assert json.loads(text)["results"][0]["findings"][0]["message"] == HOSTILE
