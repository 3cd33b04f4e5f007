"""How the agent is: what it has read, when it last saw the node, and whether its loop turns."""

import math
import time
from collections.abc import Callable
from collections.abc import Iterator
from dataclasses import dataclass
from dataclasses import field
from datetime import datetime

from webhook.web.probes import Check

PATIENCE_SECONDS = 120.0
"""A node that was not seen for so long is not verified; a few looks fit into it."""

STUCK_SECONDS = 600.0
"""A loop that has not turned for so long will not recover: a read of /proc that does not come back, for one."""


@dataclass(slots=True, kw_only=True)
class State:
    """Changed by the loop and by signals; read everywhere.

    `missing` answers what was not read yet. An API server that is away makes no agent unready: it can still see.
    """

    missing: Callable[[], list[str]]
    patience: float = PATIENCE_SECONDS
    stuck: float = STUCK_SECONDS
    draining: bool = False
    heartbeat: float = field(default_factory=time.monotonic)
    seen: float = -math.inf

    def readiness(self, now: datetime) -> Iterator[Check]:
        """Yield what the agent needs in order to verify anything."""
        del now
        missing = self.missing()
        yield Check("read", not missing, f"not read yet: {', '.join(missing)}")
        silent = time.monotonic() - self.seen
        wanting = "never yet" if math.isinf(silent) else f"not for {silent:.0f} s"
        yield Check("look", silent < self.patience, f"{wanting} a look at the node went well", f"{silent:.0f} s ago")
        yield Check("drain", not self.draining, "shutting down")

    def alive(self, monotonic: float) -> bool:
        """Tell whether the loop still turns."""
        return monotonic - self.heartbeat < self.stuck

    def beat(self) -> None:
        """Note that the loop turns."""
        self.heartbeat = time.monotonic()

    def looked(self, monotonic: float) -> None:
        """Note a look that went well."""
        self.seen = monotonic
