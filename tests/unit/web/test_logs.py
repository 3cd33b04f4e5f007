"""Log lines: JSON, one line each, nothing of a pod."""

import io
import json
import logging
import os
from collections.abc import Iterator
from datetime import UTC
from datetime import datetime

import pytest

from webhook.web import logs


@pytest.fixture(autouse=True)
def _restore() -> Iterator[None]:
    root = logging.getLogger()
    handlers, level, raising = list(root.handlers), root.level, logging.raiseExceptions
    uvicorn_level = logging.getLogger("uvicorn.error").level
    yield
    root.handlers[:] = handlers
    root.setLevel(level)
    logging.getLogger("uvicorn.error").setLevel(uvicorn_level)
    logging.raiseExceptions = raising


def lines(stream: io.StringIO) -> list[dict[str, object]]:
    """Answer the lines written, each a JSON object."""
    return [json.loads(line) for line in stream.getvalue().splitlines()]


def test_a_line_is_one_json_object_with_its_fields() -> None:
    stream = io.StringIO()
    logs.configure("info", stream)

    logging.getLogger("numagate.x").info("hello %s", "you", extra=logs.fields({logs.UID: "u", logs.CODES: ["a"]}))

    (line,) = lines(stream)
    assert line.pop(logs.TIME)
    assert line == {"level": "info", "logger": "numagate.x", "message": "hello you", "uid": "u", "codes": ["a"]}


def test_control_characters_and_surrogates_are_escaped() -> None:
    stream = io.StringIO()
    logs.configure("info", stream)

    logging.getLogger().warning("a\nb\x1b[31m\u2028\ud800", extra=logs.fields({logs.NAMESPACE: "x\r\ny"}))

    text = stream.getvalue()
    assert text.count("\n") == 1
    assert text.isascii()
    assert "\x1b" not in text
    assert lines(stream)[0][logs.NAMESPACE] == "x\r\ny"


@pytest.mark.parametrize(
    "value", [datetime(2026, 11, 30, tzinfo=UTC), 2**70, 0.5, None, True, ["a", 1], "käse", "\ud800"]
)
def test_a_value_is_written_as_pythons_own_json_has_it(value: object) -> None:
    stream = io.StringIO()
    logs.configure("info", stream)

    logging.getLogger().info("x", extra=logs.fields({logs.SERIAL: value}))

    assert json.dumps({logs.SERIAL: value}, default=str, separators=(",", ":"))[1:-1] in stream.getvalue()


def fail_with(secret: str) -> None:
    """Raise an error that quotes `secret`, because of one that does."""
    try:
        os.environ[secret]
    except KeyError as error:
        msg = f"bad value {secret}"
        raise ValueError(msg) from error


def test_an_exception_is_told_by_type_and_frames_without_its_text() -> None:
    stream = io.StringIO()
    logs.configure("info", stream)

    secret = "s3" + "cret"  # in pieces: a frame shows its line of source
    try:
        fail_with(secret)
    except ValueError:
        logging.getLogger().exception("bug")

    (line,) = lines(stream)
    assert secret not in stream.getvalue()
    assert "in fail_with" in str(line[logs.ERROR])
    assert "builtins.ValueError" in str(line[logs.ERROR])
    assert "builtins.KeyError" in str(line[logs.ERROR])


def test_uvicorn_writes_through_the_same_formatter_and_only_what_matters() -> None:
    stream = io.StringIO()
    logs.configure("info", stream)

    logging.getLogger("uvicorn.error").info("Application startup complete.")
    logging.getLogger("uvicorn.error").warning("Invalid HTTP request received.")

    assert [line[logs.MESSAGE] for line in lines(stream)] == ["Invalid HTTP request received."]
