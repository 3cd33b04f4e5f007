"""How the controller is: what it has read, and whether its process is well."""

from collections.abc import Callable
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from webhook.web.health import Health
from webhook.web.probes import Check


@dataclass(slots=True, kw_only=True)
class State(Health):
    """`missing` answers the kinds that were not read whole yet, `leading` whether this replica leads.

    `configurations` says how the webhook configurations are, "" where nobody looks at them. `issued` tells whether
    a certificate is served that clients may trust, and `certificates` how they are, "" where another one issues them.
    """

    missing: Callable[[], list[str]]
    leading: Callable[[], bool]
    configurations: Callable[[], str] = lambda: ""
    issued: Callable[[], bool] = lambda: True
    certificates: Callable[[], str] = lambda: ""

    def readiness(self, now: datetime) -> Iterator[Check]:
        """Yield what a replica needs in order to be sent requests; it need not lead."""
        missing = self.missing()
        yield Check("watches", not missing, f"not read yet: {', '.join(missing)}")
        yield Check("leader", ok=True, detail="", note="leads" if self.leading() else "another replica leads")
        # That they differ is told, and no reason to send requests elsewhere.
        if note := self.configurations():
            yield Check("configurations", ok=True, detail="", note=note)
        if note := self.certificates():
            yield Check("certificates", self.issued(), "no certificate has been issued yet", note=note)
        yield from self.basics(now)
