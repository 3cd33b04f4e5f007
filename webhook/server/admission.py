"""Answers one admission request: what stands behind /mutate and /validate."""

import logging
from collections.abc import Callable
from dataclasses import dataclass
from dataclasses import replace
from datetime import UTC
from datetime import datetime
from functools import partial

from webhook.domain.errors import RequestError
from webhook.engine import effort
from webhook.engine import unread
from webhook.engine.decision import Decision
from webhook.engine.request import Pass
from webhook.engine.request import Request
from webhook.engine.world import World
from webhook.server.metrics import Metrics
from webhook.server.state import State
from webhook.web import logs
from webhook.web import wire
from webhook.web.aside import Aside
from webhook.web.body import Meter
from webhook.web.body import TooLargeError
from webhook.web.endpoint import Call
from webhook.web.endpoint import Endpoint
from webhook.web.opening import read as read_opening
from webhook.web.turns import Turns

Review = Callable[[Request, World], Decision]

LARGE_BYTES = 64 * 1024
"""A larger body is read aside, too. A real pod has a tenth of this."""

_LOGGER = logging.getLogger("numagate.admission")


@dataclass(frozen=True, slots=True)
class _Answer:
    """What is left to do needs no objects: a large one would be held for as long as the loop is busy."""

    line: dict[str, object]
    decision: Decision
    payload: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Admission:
    """One pass; what it decides in little time it does on the event loop, in `turns`, and everything else `aside`."""

    review_pass: Pass
    review: Review
    state: State
    metrics: Metrics
    meter: Meter
    turns: Turns
    aside: Aside

    def endpoint(self) -> Endpoint:
        """Make the ASGI endpoint; it answers 200 with a review, or a metav1.Status."""
        name = self.review_pass.value
        return Endpoint(name=name, answer=self._answer, metrics=self.metrics, meter=self.meter)

    async def _answer(self, call: Call) -> bytes:
        world = self.state.world(datetime.now(UTC))
        if world is None:
            msg = "numagate has no policy yet; its log says why"
            raise RequestError(msg, status=503, reason="ServiceUnavailable")
        try:
            answer = await self._decided(await call.body(), world, call)
        except TooLargeError as error:
            answer = self._unread(error, world)
        call.afterwards.append(partial(self._record, answer, call.seconds))
        return answer.payload

    async def _decided(self, body: bytes, world: World, call: Call) -> _Answer:
        if len(body) > LARGE_BYTES:
            return await self.aside.run(lambda: self._decide(wire.read(body, self.review_pass), world), call.deadline)
        await self.turns.take(call.deadline)
        request = wire.read(body, self.review_pass)
        # The way there and back costs 0.1 ms, and what runs there slows the loop down.
        if effort.is_quick(request, world):
            return self._decide(request, world)
        return await self.aside.run(lambda: self._decide(request, world), call.deadline)

    def _decide(self, request: Request, world: World) -> _Answer:
        decision = self._dated(self.review(request, world), world)
        payload = wire.write(request.uid, self.review_pass, decision)
        return _Answer(_line(request, decision), decision, payload)

    def _unread(self, error: TooLargeError, world: World) -> _Answer:
        """Answer what can be answered without the object: kubectl shows nobody the text of a Status 413."""
        opening = read_opening(error.opening)
        if opening is None:
            raise error
        decision = unread.decide(self.review_pass, opening.resource, opening.namespace, error.excess, world)
        line: dict[str, object] = {logs.UID: opening.uid, logs.PASS: self.review_pass.value}
        line |= {
            logs.NAMESPACE: opening.namespace,
            logs.OUTCOME: decision.outcome.value,
            logs.ALLOWED: decision.allowed,
        }
        return _Answer(line, decision, wire.write(opening.uid, self.review_pass, decision))

    def _dated(self, decision: Decision, world: World) -> Decision:
        """Say in the audit annotations which snapshot was decided on; the mutating pass has none."""
        described = self.state.describe_world(world.instant) if decision.audit else ""
        return replace(decision, audit={**decision.audit, "world": described}) if described else decision

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
