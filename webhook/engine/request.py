"""The request: an AdmissionReview's content as a value, free of the wire's spelling."""

from dataclasses import dataclass
from enum import Enum

from webhook.domain.raw import JsonObject


class Pass(Enum):
    """Which of the API server's two admission passes asks."""

    MUTATE = "mutate"
    VALIDATE = "validate"


@dataclass(frozen=True, slots=True)
class Request:
    """What the API server asks. `object` and `old_object` are None where the operation has none.

    `group`, `version`, `kind` name the object; `resource` and `subresource` the endpoint ("pods", "resize").
    """

    uid: str
    review_pass: Pass
    operation: str
    group: str
    version: str
    kind: str
    resource: str
    subresource: str
    namespace: str
    name: str
    username: str
    groups: tuple[str, ...]
    dry_run: bool
    object: JsonObject | None
    old_object: JsonObject | None
