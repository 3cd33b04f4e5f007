"""The AdmissionReview on the wire: bytes to `Request`, `Decision` to bytes."""

import base64
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import orjson
from pydantic_core import from_json

from webhook.domain.errors import RequestError
from webhook.domain.raw import JsonObject
from webhook.domain.raw import get_object
from webhook.domain.raw import get_text
from webhook.domain.raw import get_texts
from webhook.engine.decision import Decision
from webhook.engine.request import Pass
from webhook.engine.request import Request
from webhook.web.body import TooLargeError
from webhook.web.opening import OPENING_BYTES
from webhook.web.status import REASONS

API_VERSION = "admission.k8s.io/v1"
KIND = "AdmissionReview"

MAX_REPLY_BYTES = 256 * 1024
"""The API server reads without a limit, so the limit is ours; the largest pod that is judged needs an eighth."""

_CUT = "numagate left its repairs out: they would be too large; numagate lint shows them"

_OPERATIONS = frozenset({"CREATE", "UPDATE", "DELETE", "CONNECT"})
_NEEDS_OBJECT = frozenset({"CREATE", "UPDATE"})
_MAX_TEXT = 512
"""Longer than any uid, kind or name that Kubernetes allows."""
_SHOWN = 66

MAX_VALUES = 300_000
"""In one review, counted by brackets and commas.

Two objects of 1.5 MiB, the most that etcd takes by default, have half of this where a value takes 20 bytes. Seven
mebibytes of empty objects would be ten times as many, in half a gigabyte."""

_MAX_DEPTH = 200
"""How deep from_json goes."""
_LONG_NUMBER = b"0" * 19
"""As many digits as the smallest integer has that may be beyond 64 bits."""
_DIGITS_AS_ZERO = bytes(ord("0") if chr(byte).isascii() and chr(byte).isdigit() else ord(" ") for byte in range(256))


def read(body: bytes, review_pass: Pass) -> Request:
    """Read a review strictly, but for duplicate keys: the last one wins, as in Go.

    Raises:
        TooLargeError: it has more values than fit into memory.
        RequestError: what the body is not, with the field's name; never with the body's content but a short excerpt.
    """
    # A value takes a byte at least.
    if len(body) > MAX_VALUES and sum(map(body.count, (b",", b"{", b"["))) > MAX_VALUES:
        excess = f"has more than {MAX_VALUES} values"
        raise TooLargeError(excess, body[:OPENING_BYTES])
    review = _parse(body)
    _expect(review, "apiVersion", API_VERSION)
    _expect(review, "kind", KIND)
    asked = _object(review, "request")
    kind = _object(asked, "kind", "request.")
    resource = _object(asked, "resource", "request.")
    operation = _text(asked, "operation", "request.")
    if operation not in _OPERATIONS:
        wanted = "one of " + ", ".join(sorted(_OPERATIONS))
        raise _wrong(place="request.operation", value=operation, wanted=wanted)
    found = _optional_object(asked, "object")
    if found is None and operation in _NEEDS_OBJECT:
        msg = f"request.object is missing: {operation} has one"
        raise RequestError(msg)
    user = get_object(asked, "userInfo")
    return Request(
        uid=_text(asked, "uid", "request."),
        review_pass=review_pass,
        operation=operation,
        group=_optional_text(kind, "group", "request.kind."),
        version=_text(kind, "version", "request.kind."),
        kind=_text(kind, "kind", "request.kind."),
        resource=_text(resource, "resource", "request.resource."),
        subresource=_optional_text(asked, "subResource", "request."),
        namespace=_optional_text(asked, "namespace", "request."),
        name=_optional_text(asked, "name", "request."),
        username=get_text(user, "username"),
        groups=get_texts(user, "groups"),
        dry_run=asked.get("dryRun") is True,
        object=found,
        old_object=_optional_object(asked, "oldObject"),
    )


def write(uid: str, review_pass: Pass, decision: Decision) -> bytes:
    """Write the review's answer, `MAX_REPLY_BYTES` at most; a patch leaves with the mutating pass only.

    A patch that is too large is left out, for the validating pass to refuse the pod; of too many causes the first stay.
    """
    written = _write(uid, review_pass, decision)
    while len(written) > MAX_REPLY_BYTES and (decision.patch or decision.causes):
        warnings = (_CUT,) if decision.patch else decision.warnings
        kept = decision.causes[: len(decision.causes) // 2]
        decision = replace(decision, patch=(), causes=kept, warnings=warnings)
        written = _write(uid, review_pass, decision)
    return written


def _write(uid: str, review_pass: Pass, decision: Decision) -> bytes:
    response: dict[str, object] = {"uid": uid, "allowed": decision.allowed}
    if not decision.allowed:
        response["status"] = _denial(decision)
    elif decision.patch and review_pass is Pass.MUTATE:
        patch = orjson.dumps([operation.as_dict() for operation in decision.patch], default=_plain)
        response["patchType"] = "JSONPatch"
        response["patch"] = base64.b64encode(patch).decode("ascii")
    if decision.warnings:
        response["warnings"] = decision.warnings
    if decision.audit:
        response["auditAnnotations"] = dict(decision.audit)
    return orjson.dumps({"kind": KIND, "apiVersion": API_VERSION, "response": response})


def _denial(decision: Decision) -> dict[str, object]:
    # 403 Forbidden: with 422 Invalid kubectl shows neither the message nor the webhook's name.
    status: dict[str, object] = {
        "status": "Failure",
        "message": decision.message,
        "reason": REASONS[decision.code],
        "code": decision.code,
    }
    if decision.causes:
        status["details"] = {
            "causes": [
                {"reason": "FieldValueInvalid", "message": message, "field": field}
                for field, message in decision.causes
            ]
        }
    return status


def _plain(value: object) -> dict[str, object]:
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError


def _parse(body: bytes) -> dict[str, Any]:
    try:
        # A number beyond a double (1e999) is an error here, and would be infinity below.
        review = orjson.loads(body)
        if not _is_plain(body):
            # Integers of any size stay whole here, and nothing nests deeper than the stack of its readers. The first
            # tree is forgotten before the second grows: that of a large body takes many times its bytes.
            review = None
            review = from_json(body, allow_inf_nan=False)
    except ValueError as error:
        msg = f"the body is no JSON text: {error}"
        raise RequestError(msg) from None
    if not isinstance(review, dict):
        msg = f"the body must be an {KIND} object, not {_type(review)}"
        raise RequestError(msg)
    return review


def _is_plain(body: bytes) -> bool:
    """Tell whether orjson reads all of it right, as of nearly every body: nothing deep, no integer beyond 64 bits."""
    return body.count(b"{") + body.count(b"[") <= _MAX_DEPTH and _LONG_NUMBER not in body.translate(_DIGITS_AS_ZERO)


def _expect(parent: Mapping[str, object], key: str, wanted: str) -> None:
    if parent.get(key) != wanted:
        raise _wrong(key, parent.get(key), wanted)


def _object(parent: JsonObject, key: str, place: str = "") -> JsonObject:
    value = parent.get(key)
    if not isinstance(value, dict):
        raise _wrong(place + key, value, "an object")
    return value


def _optional_object(parent: JsonObject, key: str) -> JsonObject | None:
    return None if parent.get(key) is None else _object(parent, key, "request.")


def _text(parent: JsonObject, key: str, place: str) -> str:
    value = parent.get(key)
    if not isinstance(value, str) or not value or len(value) > _MAX_TEXT:
        raise _wrong(place + key, value, f"a text of 1 to {_MAX_TEXT} characters")
    return value


def _optional_text(parent: JsonObject, key: str, place: str) -> str:
    value = parent.get(key)
    return "" if value is None or value == "" else _text(parent, key, place)


def _wrong(place: str, value: object, wanted: str) -> RequestError:
    # Whoever reaches the port writes the value: show little of it, in ASCII.
    shown = ascii(value)[:_SHOWN] if isinstance(value, str) else _type(value)
    return RequestError(f"{place} must be {wanted}, not {shown}")


_TYPES = {dict: "an object", list: "an array", str: "a text", bool: "a boolean", type(None): "null"}


def _type(value: object) -> str:
    return _TYPES.get(type(value), "a number")
