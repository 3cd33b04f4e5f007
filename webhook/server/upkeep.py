"""Upkeep of what comes from files: the certificate, and the policy or the world snapshot."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

from webhook.server.installing import Installer
from webhook.server.metrics import Metrics
from webhook.server.settings import Settings
from webhook.server.state import Loaded
from webhook.server.state import State
from webhook.tls.context import CertificateStore
from webhook.web.certificate import CertificateUpkeep
from webhook.web.refresh import Reloader
from webhook.web.refresh import fingerprint


class Upkeep:
    """Loads both and keeps them fresh; a refused content leaves the last good one in force.

    `load` reads policy or snapshot; None where neither comes from files.
    """

    def __init__(
        self,
        settings: Settings,
        *,
        state: State,
        metrics: Metrics,
        store: CertificateStore,
        load: Callable[[], Loaded] | None,
    ) -> None:
        self._certificate = CertificateUpkeep(store, metrics=metrics, health=state)
        self._policy: Reloader[Loaded] | None = None
        if load is not None:
            installer = Installer(state, metrics)
            look = partial(fingerprint, _watched(settings))
            self._policy = Reloader(look=look, load=load, accept=installer.accept, reject=installer.reject)

    async def step(self) -> None:
        """Look at both once."""
        await self._certificate.step()
        if self._policy is not None:
            await self._policy.step()


def _watched(settings: Settings) -> tuple[Path, ...]:
    # A profile may also be a name of the library: then there is no such file, which is no change either.
    files = (settings.policy, settings.world)
    return (*(file for file in files if file), *(Path(profile) for profile in settings.profiles))
