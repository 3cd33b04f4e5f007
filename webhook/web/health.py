"""How a process of ours is: what every one of them needs in order to be sent requests."""

import time
from collections.abc import Iterator
from dataclasses import dataclass
from dataclasses import field
from datetime import datetime
from datetime import timedelta

from webhook.web.probes import Check

LAST_HOUR = timedelta(hours=1)
"""A replica whose certificate has less than this left stops being ready."""

STUCK_SECONDS = 60.0
"""An event loop that has not turned for so long will not recover."""


@dataclass(slots=True, kw_only=True)
class Health:
    """Changed on the event loop's thread only, read everywhere."""

    certificate_expiry: datetime | None = None
    certificate: bytes = b""
    draining: bool = False
    heartbeat: float = field(default_factory=time.monotonic)

    def basics(self, now: datetime) -> Iterator[Check]:
        """Yield what every replica needs in order to be sent requests."""
        expiry = self.certificate_expiry
        valid = expiry is None or expiry - now > LAST_HOUR
        yield Check("certificate", valid, f"the served certificate ends at {expiry}: renew it")
        yield Check("drain", not self.draining, "shutting down")

    def alive(self, monotonic: float) -> bool:
        """Tell whether the event loop still turns."""
        return monotonic - self.heartbeat < STUCK_SECONDS

    def beat(self) -> None:
        """Note that the event loop turns."""
        self.heartbeat = time.monotonic()
