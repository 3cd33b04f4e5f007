"""Upkeep of the policy and the certificate: what becomes of a new content, good or bad."""

import logging
from collections.abc import Callable
from pathlib import Path

from webhook.domain.errors import NumagateError
from webhook.domain.errors import PolicyError
from webhook.server.metrics import Metrics
from webhook.server.settings import Settings
from webhook.server.state import Loaded
from webhook.server.state import State
from webhook.tls.context import CertificateStore
from webhook.web import logs
from webhook.web.certificate import CertificateUpkeep
from webhook.web.refresh import Reloader

_LOGGER = logging.getLogger("numagate.upkeep")


class Upkeep:
    """Loads both and keeps them fresh; a refused content leaves the last good one in force."""

    def __init__(
        self,
        settings: Settings,
        *,
        state: State,
        metrics: Metrics,
        store: CertificateStore,
        load: Callable[[], Loaded],
    ) -> None:
        self._state = state
        self._metrics = metrics
        self._policy = Reloader(
            files=_watched(settings), load=load, accept=self._accept_policy, reject=self._reject_policy
        )
        self._certificate = CertificateUpkeep(store, metrics=metrics, health=state)

    async def step(self) -> None:
        """Look at both once."""
        await self._certificate.step()
        await self._policy.step()

    def _accept_policy(self, loaded: Loaded) -> None:
        self._state.loaded = loaded
        self._metrics.policies((one.name, one.generation) for one in loaded.policies)
        self._metrics.policy_ok.set(1)
        for policy in loaded.policies:
            names = {logs.POLICY: policy.name, logs.GENERATION: policy.generation}
            _LOGGER.info("policy in force", extra=logs.fields(names))

    def _reject_policy(self, error: NumagateError) -> None:
        self._state.policy_error = str(error)
        self._metrics.policy_failures.inc()
        self._metrics.policy_ok.set(0)
        place: dict[str, object] = {}
        if isinstance(error, PolicyError):
            place = {logs.FILE: error.source, logs.LINE: error.line, logs.FIELD: error.field}
        kept = "the last good policy stays" if self._state.loaded else "not ready without a policy"
        _LOGGER.error("policy refused: %s; %s", error, kept, extra=logs.fields(place))


def _watched(settings: Settings) -> tuple[Path, ...]:
    # A profile may also be a name of the library: then there is no such file, which is no change either.
    policy = [settings.policy] if settings.policy else []
    return (*policy, *(Path(profile) for profile in settings.profiles))
