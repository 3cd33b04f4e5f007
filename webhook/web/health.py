"""How a process of ours is: what every one of them needs in order to be sent requests."""

import math
import time
from collections.abc import Iterator
from dataclasses import dataclass
from dataclasses import field
from datetime import datetime
from datetime import timedelta

from webhook.web.probes import Check

LAST_HOUR = timedelta(hours=1)
"""A replica whose certificate has less than this left stops being ready."""

SILENT_SECONDS = 20.0
"""A TLS port with which nobody, ourselves included, could shake hands for so long answers nobody else either.

Several tries fit into it: in an overload one may fail, and a replica that is only busy must stay in the Service."""

STUCK_SECONDS = 60.0
"""An event loop that has not turned for so long will not recover."""


@dataclass(slots=True, kw_only=True)
class Health:
    """Changed on the event loop's thread only, but for `shaken`; read everywhere.

    `shaken` is when a TLS handshake last went well, on the monotonic clock; infinity where nobody watches that.
    """

    certificate_expiry: datetime | None = None
    certificate: bytes = b""
    draining: bool = False
    heartbeat: float = field(default_factory=time.monotonic)
    shaken: float = math.inf

    def basics(self, now: datetime) -> Iterator[Check]:
        """Yield what every replica needs in order to be sent requests."""
        expiry = self.certificate_expiry
        valid = expiry is None or expiry - now > LAST_HOUR
        yield Check("certificate", valid, f"the served certificate ends at {expiry}: renew it")
        silent = time.monotonic() - self.shaken
        wanting = "never yet" if math.isinf(silent) else f"not for {silent:.0f} s"
        yield Check("handshake", silent < SILENT_SECONDS, f"{wanting} a TLS handshake with the port went well")
        yield Check("drain", not self.draining, "shutting down")

    def alive(self, monotonic: float) -> bool:
        """Tell whether the event loop still turns."""
        return monotonic - self.heartbeat < STUCK_SECONDS

    def beat(self) -> None:
        """Note that the event loop turns."""
        self.heartbeat = time.monotonic()

    def shake(self) -> None:
        """Note that a TLS handshake went well."""
        self.shaken = time.monotonic()
