"""Puts new policies and worlds in force, or refuses them and keeps the last good one."""

import logging

from webhook.domain.errors import NumagateError
from webhook.domain.errors import PolicyError
from webhook.server.metrics import Metrics
from webhook.server.state import Loaded
from webhook.server.state import State
from webhook.sources.snapshot_reader import LoadedWorld
from webhook.web import logs

_LOGGER = logging.getLogger("numagate.upkeep")


class Installer:
    """Changes the state, on the event loop's thread only."""

    def __init__(self, state: State, metrics: Metrics) -> None:
        self._state = state
        self._metrics = metrics

    def accept(self, loaded: Loaded) -> None:
        """Swap everything in, as one."""
        before = self._state.loaded
        known = {(one.name, one.generation) for one in before.policies} if before else set()
        self._state.loaded = loaded
        self._state.refused = ""
        self._metrics.policies((one.name, one.generation) for one in loaded.policies)
        self._metrics.classes(loaded.classes)
        self._metrics.policy_ok.set(1)
        if _left_out(loaded) != _left_out(before):
            left_out = ", ".join(_left_out(loaded)) or "none"
            _LOGGER.warning("fields of a newer controller that this version leaves out: %s", left_out)
        for policy in loaded.policies:
            if (policy.name, policy.generation) not in known:
                names = {logs.POLICY: policy.name, logs.GENERATION: policy.generation}
                _LOGGER.info("policy in force", extra=logs.fields(names))

    def wait(self, reason: str) -> None:
        """Say why there is nothing in force yet."""
        self._state.refused = reason

    def reject(self, error: NumagateError) -> None:
        """Refuse a content; what is in force stays."""
        self._state.refused = str(error)
        self._metrics.policy_failures.inc()
        self._metrics.policy_ok.set(0)
        place: dict[str, object] = {}
        if isinstance(error, PolicyError):
            place = {logs.FILE: error.source, logs.LINE: error.line, logs.FIELD: error.field}
        kept = "the last good policy stays" if self._state.loaded else "not ready without a policy"
        _LOGGER.error("policy refused: %s; %s", error, kept, extra=logs.fields(place))


def _left_out(loaded: Loaded | None) -> tuple[str, ...]:
    return loaded.left_out if isinstance(loaded, LoadedWorld) else ()
