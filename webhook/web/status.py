"""Error replies as `metav1.Status`, the only form that kubectl and controllers show to a person."""

from collections.abc import Mapping
from types import MappingProxyType

import orjson

REASONS: Mapping[int, str] = MappingProxyType(
    {
        400: "BadRequest",
        403: "Forbidden",
        404: "NotFound",
        405: "MethodNotAllowed",
        413: "RequestEntityTooLarge",
        415: "UnsupportedMediaType",
        429: "TooManyRequests",
        500: "InternalError",
        503: "ServiceUnavailable",
    }
)
"""The Kubernetes reason of each HTTP status that the service sends."""

RETRY_AFTER_SECONDS = 1
"""The API server repeats a call that is answered 429 or 503 with an integer Retry-After, within its timeout."""

JSON_TYPE = (b"content-type", b"application/json")


def body(code: int, message: str, reason: str = "") -> bytes:
    """Write the Status; the reason follows from `code` where none is given.

    >>> body(404, "no such path")
    b'{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"no such path","reason":"NotFound","code":404}'
    """  # noqa: E501  # one reply is one line
    return orjson.dumps(
        {
            "kind": "Status",
            "apiVersion": "v1",
            "metadata": {},
            "status": "Failure",
            "message": message,
            "reason": reason or REASONS.get(code, "Unknown"),
            "code": code,
        }
    )


def headers(code: int, content: bytes) -> list[tuple[bytes, bytes]]:
    """Answer the headers of a JSON reply with `content`; the retryable codes ask for another try."""
    found = [JSON_TYPE, (b"content-length", b"%d" % len(content))]
    if code in {429, 503}:
        found.append((b"retry-after", b"%d" % RETRY_AFTER_SECONDS))
    return found
