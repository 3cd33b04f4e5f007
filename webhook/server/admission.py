"""Answers one admission request: what stands behind /mutate and /validate."""

import asyncio
import logging
from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass
from dataclasses import replace
from datetime import UTC
from datetime import datetime

from webhook.domain.errors import RequestError
from webhook.engine.decision import Decision
from webhook.engine.request import Pass
from webhook.engine.request import Request
from webhook.engine.world import World
from webhook.server.metrics import Metrics
from webhook.server.state import State
from webhook.web import logs
from webhook.web import wire
from webhook.web.body import Meter
from webhook.web.endpoint import Call
from webhook.web.endpoint import Endpoint

Review = Callable[[Request, World], Decision]

LARGE_BYTES = 64 * 1024
"""A larger body is read and decided in the worker, so that the event loop and the other requests go on.

A real pod has a tenth of this; the way to the worker and back costs 0.1 ms."""

_LOGGER = logging.getLogger("numagate.admission")


@dataclass(frozen=True, slots=True)
class _Answer:
    """What is left to do needs no objects: a large one would be held for as long as the loop is busy."""

    line: dict[str, object]
    decision: Decision
    payload: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Admission:
    """One pass; `worker` takes the large requests one after the other."""

    review_pass: Pass
    review: Review
    state: State
    metrics: Metrics
    worker: Executor
    meter: Meter

    def endpoint(self) -> Endpoint:
        """Make the ASGI endpoint; it answers 200 with a review, or a metav1.Status."""
        name = self.review_pass.value
        return Endpoint(name=name, answer=self._answer, metrics=self.metrics, meter=self.meter)

    async def _answer(self, call: Call) -> bytes:
        world = self.state.world(datetime.now(UTC))
        if world is None:
            msg = "numagate has no policy yet; its log says why"
            raise RequestError(msg, status=503, reason="ServiceUnavailable")
        body = await call.body()
        if len(body) <= LARGE_BYTES:
            answer = self._decide(body, world)
        else:
            answer = await self._decide_aside(body, world, call)
        self._record(answer, call.seconds)
        return answer.payload

    def _decide(self, body: bytes, world: World) -> _Answer:
        request = wire.read(body, self.review_pass)
        decision = self._dated(self.review(request, world), world)
        payload = wire.write(request.uid, self.review_pass, decision)
        return _Answer(_line(request, decision), decision, payload)

    def _dated(self, decision: Decision, world: World) -> Decision:
        """Say in the audit annotations which snapshot was decided on; the mutating pass has none."""
        described = self.state.describe_world(world.instant) if decision.audit else ""
        return replace(decision, audit={**decision.audit, "world": described}) if described else decision

    async def _decide_aside(self, body: bytes, world: World, call: Call) -> _Answer:
        future = asyncio.get_running_loop().run_in_executor(self.worker, self._decide, body, world)
        try:
            return await asyncio.wait_for(future, call.seconds_left)
        except TimeoutError:
            msg = "numagate could not decide within the timeout: try again"
            raise RequestError(msg, status=503, reason="ServiceUnavailable") from None

    def _record(self, answer: _Answer, seconds: float) -> None:
        self.metrics.decided(self.review_pass, answer.decision)
        if _LOGGER.isEnabledFor(logging.INFO):
            _LOGGER.info("decided", extra=logs.fields(answer.line | {logs.MILLISECONDS: round(seconds * 1000, 2)}))


def _line(request: Request, decision: Decision) -> dict[str, object]:
    """Answer what the log says of a decision."""
    return {
        logs.UID: request.uid,
        logs.PASS: request.review_pass.value,
        logs.NAMESPACE: request.namespace,
        logs.KIND: request.kind,
        logs.OPERATION: request.operation,
        logs.DRY_RUN: request.dry_run,
        logs.OUTCOME: decision.outcome.value,
        logs.ALLOWED: decision.allowed,
        logs.CODES: sorted({finding.code for finding in decision.findings}),
    }
