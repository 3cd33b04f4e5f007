"""What a request to the API server can end with, as one error."""

from typing import Final

import orjson

from webhook.domain.errors import NumagateError
from webhook.domain.raw import as_object
from webhook.domain.raw import get_text

NOT_FOUND: Final = 404
CONFLICT: Final = 409
GONE: Final = 410
TOO_MANY: Final = 429
UNAVAILABLE: Final = 503
TIMEOUT: Final = 504

_SHOWN: Final = 300


class KubeError(NumagateError):
    """The API server did not do what was asked; `status` is its HTTP status, 0 where it could not be reached.

    `reason` is the word of the API server's Status ("Expired", "NotFound", …), if it sent one.
    """

    def __init__(self, message: str, *, status: int = 0, reason: str = "") -> None:
        """Keep status and reason for those who decide by them."""
        super().__init__(message)
        self.status = status
        self.reason = reason

    @property
    def absent(self) -> bool:
        """The object, or its whole kind, does not exist."""
        return self.status == NOT_FOUND

    @property
    def expired(self) -> bool:
        """The API server no longer knows the resource version that was asked for, and one has to list again."""
        return self.status == GONE or self.reason in {"Expired", "Gone"}

    @property
    def passing(self) -> bool:
        """Waiting may cure it: nobody answered, or one who is overloaded or starting.

        500 is not of these: it is what a request ends with that a broken webhook of its namespace must see.
        """
        return self.status in {0, TOO_MANY, UNAVAILABLE, TIMEOUT}


def error_of(what: str, status: int, body: bytes) -> KubeError:
    """Read an error reply to `what`: a metav1.Status, or whatever a proxy in between has to say.

    >>> str(error_of("GET /api/v1/nodes", 403, b'{"message": "nodes is forbidden", "reason": "Forbidden"}'))
    'GET /api/v1/nodes: 403: nodes is forbidden'
    """
    try:
        answer = as_object(orjson.loads(body))
    except ValueError:
        answer = {}
    message = get_text(answer, "message") or ascii(body[:_SHOWN].decode("ascii", "replace"))
    return KubeError(f"{what}: {status}: {message[:_SHOWN]}", status=status, reason=get_text(answer, "reason"))
