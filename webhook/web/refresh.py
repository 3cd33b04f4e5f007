"""Keeps what comes from files fresh: polls, loads aside, swaps whole, and keeps the last good one."""

import asyncio
import logging
from collections.abc import Awaitable
from collections.abc import Callable
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Generic
from typing import TypeVar

from webhook.domain.errors import NumagateError
from webhook.tls.files import digest

T = TypeVar("T")

POLL_SECONDS = 5.0
"""A mounted ConfigMap or Secret itself arrives a minute late; polling needs no inotify and survives symlink swaps."""

_LOGGER = logging.getLogger("numagate.refresh")


def fingerprint(paths: Iterable[Path]) -> tuple[str, ...]:
    """Answer what the files hold now, as hashes; a file that cannot be read is "" (the load says why)."""
    return tuple(digest(path) for path in paths)


@dataclass(slots=True, kw_only=True)
class Reloader(Generic[T]):
    """One thing that is loaded from elsewhere.

    `look` answers what is there now, as `fingerprint` does of files. It runs in a thread, and so does `load`, which may
    raise NumagateError; `accept` and `reject` run on the event loop. A content that was refused is tried again at every
    poll, because time may cure it, but `reject` hears of it once.
    """

    look: Callable[[], tuple[str, ...]]
    load: Callable[[], T]
    accept: Callable[[T], None]
    reject: Callable[[NumagateError], None]
    loaded: tuple[str, ...] | None = None
    refused: tuple[tuple[str, ...], str] | None = None

    async def step(self) -> None:
        """Look once, and load what is new."""
        seen = await asyncio.to_thread(self.look)
        if seen == self.loaded and self.refused is None:
            return
        try:
            value = await asyncio.to_thread(self.load)
        except NumagateError as error:
            if self.refused != (seen, str(error)):
                self.refused = (seen, str(error))
                self.reject(error)
            return
        self.loaded, self.refused = seen, None
        self.accept(value)


async def poll(steps: Iterable[Callable[[], Awaitable[None]]], *, seconds: float = POLL_SECONDS) -> None:
    """Take each of the steps every `seconds`, until cancelled."""
    while True:
        await asyncio.sleep(seconds)
        for step in steps:
            try:
                await step()
            except Exception:
                # The edge of the background loop: it must outlive a bug, or a certificate would expire unseen.
                _LOGGER.exception("bug while reloading")
