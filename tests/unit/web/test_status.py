"""Status replies and their headers."""

import json

import pytest

from webhook.web import status


def test_a_status_says_kind_code_and_reason() -> None:
    assert json.loads(status.body(429, "try again")) == {
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Failure",
        "message": "try again",
        "reason": "TooManyRequests",
        "code": 429,
    }


def test_a_reason_of_its_own_is_kept() -> None:
    assert json.loads(status.body(400, "no", "Invalid"))["reason"] == "Invalid"


@pytest.mark.parametrize(("code", "asked"), [(429, True), (503, True), (400, False), (413, False), (500, False)])
def test_only_passing_troubles_ask_for_another_try(code: int, *, asked: bool) -> None:
    headers = dict(status.headers(code, b"{}"))

    assert headers.get(b"retry-after", b"").isdigit() is asked
    assert headers[b"content-length"] == b"2"
