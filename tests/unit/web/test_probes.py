"""The plain port's answers, of a process that only says how it is."""

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

import httpx
import pytest

from webhook.web.common_metrics import CommonMetrics
from webhook.web.probes import Check
from webhook.web.probes import probe_app

WELL = Check("world", ok=True, detail="no snapshot was read yet", note="3 s old")
ILL = Check("world", ok=False, detail="no snapshot was read yet", note="3 s old")


@dataclass
class Subject:
    """A process with one check."""

    check: Check
    certificate = b"CERTIFICATE"

    def readiness(self, now: datetime) -> Iterator[Check]:
        """Answer the check."""
        del now
        yield self.check

    def alive(self, monotonic: float) -> bool:
        """Be alive."""
        del monotonic
        return True


def ask(path: str, check: Check = WELL) -> httpx.Response:
    """Ask a process with one check."""
    app = probe_app(state=Subject(check), metrics=CommonMetrics("0", component="serve"))

    async def get() -> httpx.Response:
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://numagate") as client:
            return await client.get(path)

    return asyncio.run(get())


@pytest.mark.parametrize(
    ("check", "path", "status", "text"),
    [
        (WELL, "/readyz", 200, "ok"),
        (WELL, "/readyz?verbose", 200, "[+]world ok: 3 s old\nok"),
        (ILL, "/readyz", 503, "[-]world failed: no snapshot was read yet\nnot ready"),
    ],
)
def test_readiness_is_short_unless_asked_or_ill(check: Check, path: str, status: int, text: str) -> None:
    response = ask(path, check)

    assert (response.status_code, response.text) == (status, text)


def test_anybody_may_see_the_certificate_that_every_client_sees() -> None:
    assert ask("/certificate").text == "CERTIFICATE"
