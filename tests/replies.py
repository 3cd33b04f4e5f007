"""Checks replies by the API server's own rules, and by the limits that keep them readable."""

import base64
import json
import re
from typing import Any

from webhook.domain.errors import RequestError
from webhook.engine.request import Pass

MESSAGE_BYTES = 900
MAX_WARNINGS = 10
WARNING_CHARACTERS = 120
WARNINGS_TOGETHER = 4096
"""Where all warnings are longer, the API server cuts each (k8s.io/apiserver endpoints/filters/warning.go)."""
AUDIT_VALUE_BYTES = 1024
REPLY_BYTES = 256 * 1024

_AUDIT_KEY = re.compile(r"[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?")
"""The name part of a qualified name; the API server puts the webhook's name and a slash before it."""


def check_answer(review_pass: Pass, content: bytes, uid: str) -> dict[str, Any]:
    """Check a reply 200 (k8s.io/apiserver request/admissionreview.go) and answer its response."""
    reply = json.loads(content)
    response: dict[str, Any] = reply["response"]
    assert (reply["apiVersion"], reply["kind"]) == ("admission.k8s.io/v1", "AdmissionReview")
    assert response["uid"] == uid
    assert isinstance(response["allowed"], bool)
    assert ("patch" in response) == ("patchType" in response)
    if review_pass is Pass.VALIDATE:
        assert "patch" not in response
        assert len(content) <= REPLY_BYTES
    elif "patch" in response:
        assert response["patchType"] == "JSONPatch"
        assert isinstance(patch_of(response), list)
    if not response["allowed"]:
        check_denial(response["status"])
    check_warnings(response.get("warnings", []))
    for key, value in response.get("auditAnnotations", {}).items():
        assert _AUDIT_KEY.fullmatch(key)
        assert len(value.encode()) <= AUDIT_VALUE_BYTES
        assert value.isprintable()
    return response


def patch_of(response: dict[str, Any]) -> list[dict[str, Any]]:
    """Answer the operations of a response, none where it has no patch."""
    found: list[dict[str, Any]] = json.loads(base64.b64decode(response.get("patch", "W10="), validate=True))
    return found


def check_denial(status: dict[str, Any]) -> None:
    """Check what kubectl and controllers will show."""
    assert (status["code"], status["reason"]) == (403, "Forbidden")
    assert is_one_line(status["message"], MESSAGE_BYTES)
    causes = status.get("details", {}).get("causes", [])
    assert all(is_one_line(cause["message"], MESSAGE_BYTES) for cause in causes)
    assert all(cause["field"].isprintable() for cause in causes)


def check_warnings(warnings: list[str]) -> None:
    """Check what the API server passes on: a warning with a control character would vanish without a word."""
    assert len(warnings) <= MAX_WARNINGS
    assert all(0 < len(warning) <= WARNING_CHARACTERS and warning.isprintable() for warning in warnings)
    assert sum(map(len, warnings)) <= WARNINGS_TOGETHER


def is_one_line(text: str, limit: int) -> bool:
    """Tell whether a text is not empty, prints as one line, and has at most `limit` bytes."""
    return 0 < len(text.encode()) <= limit and text.isprintable()


def check_refusal(error: RequestError) -> None:
    """Check the error about a body that is no review: it is answered with a Status."""
    message = str(error)
    assert (error.status, error.reason) == (400, "BadRequest")
    assert message.isascii()
    assert message.isprintable()
    assert len(message) < 256  # little of a hostile value
