"""The decision: what the API server is told, before the wire's spelling."""

from collections.abc import Mapping
from dataclasses import dataclass
from dataclasses import field
from enum import Enum
from types import MappingProxyType

from webhook.domain.finding import Finding
from webhook.domain.jsonpatch import Operation
from webhook.domain.levels import Level
from webhook.domain.levels import Modes


class Outcome(Enum):
    """The word for a decision, as lint, metrics and audit annotations write it."""

    ACCEPT = "accept"
    REPAIR = "repair"
    DENY = "deny"
    WARN = "warn"
    SKIP = "skip"
    INVALID = "invalid"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Decision:
    """The answer to one request.

    `message` and `causes` (field path, message) are set on a denial. `warnings` are ready for the wire: one line, at
    most 120 characters, at most 10. `audit` maps annotation keys to text. `patch` is empty outside the mutating pass.
    """

    outcome: Outcome
    allowed: bool
    message: str = ""
    causes: tuple[tuple[str, str], ...] = ()
    warnings: tuple[str, ...] = ()
    audit: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    patch: tuple[Operation, ...] = ()
    findings: tuple[Finding, ...] = ()
    repairs: tuple[str, ...] = ()
    """Codes of the edits made, for metrics."""
    code: int = 403
    """The HTTP status of a denial, as the API server passes it on."""
    exempt_by: str = ""
    """Where the request is exempt: by what, one of a few words."""
    modes: Modes | None = None
    """What the policy lets numagate do, None where nothing was judged."""
    level: Level | None = None
    """The level that a new pod reaches, in the validating pass."""
