"""Answers the API server when labels of a namespace change: the ASGI endpoint behind /namespaces.

It only ever warns. Whatever goes wrong is one warning more, for a change that an administrator wants must not wait.
"""

import asyncio
import logging
from collections.abc import Callable
from collections.abc import Iterator
from concurrent.futures import Executor
from dataclasses import dataclass
from datetime import UTC
from datetime import datetime
from typing import Final

from starlette.types import Receive
from starlette.types import Scope
from starlette.types import Send

from webhook.domain.errors import NumagateError
from webhook.engine import messages
from webhook.engine import namespace_change
from webhook.engine.decision import Decision
from webhook.engine.decision import Outcome
from webhook.engine.namespace_change import Change
from webhook.engine.namespace_levels import labels_of
from webhook.engine.namespace_review import Watch
from webhook.engine.namespace_review import label_warnings
from webhook.engine.namespace_review import review
from webhook.engine.request import Pass
from webhook.engine.request import Request
from webhook.engine.running_pods import RunningPods
from webhook.engine.world import World
from webhook.kube.listing import Page
from webhook.web import logs
from webhook.web import wire
from webhook.web.body import Meter
from webhook.web.common_metrics import CommonMetrics
from webhook.web.endpoint import Call
from webhook.web.endpoint import Endpoint

PATH: Final = "/namespaces"
NAME: Final = "namespaces"

ANSWER_SECONDS: Final = 1.8
"""From the first byte to the answer: the API server waits for 2 seconds."""
JUDGE_SECONDS: Final = 1.5
LIST_SECONDS: Final = 0.9
"""When to stop looking at pods, and when to stop listing them; one page or one pod may take a little longer."""

BUSY: Final = "numagate could not judge the pods of this namespace in time: numagate lint can"

ListPods = Callable[[str, Callable[[], float]], Iterator[Page]]

_LOGGER = logging.getLogger("numagate.namespaces")


@dataclass(frozen=True, slots=True, kw_only=True)
class NamespaceWebhook:
    """The endpoint; `world` answers None while nothing is known, `worker` lists and judges the pods."""

    world: Callable[[datetime], World | None]
    list_pods: ListPods
    metrics: CommonMetrics
    meter: Meter
    worker: Executor

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer the request: 200 with a review that allows, or a metav1.Status."""
        await Endpoint(name=NAME, answer=self._answer, metrics=self.metrics, meter=self.meter)(scope, receive, send)

    async def _answer(self, call: Call) -> bytes:
        request = wire.read(await call.body(), Pass.VALIDATE)
        warnings = messages.capped(await self._warnings(request, call))
        outcome = Outcome.WARN if warnings else Outcome.ACCEPT
        line = {
            logs.UID: request.uid,
            logs.PASS: NAME,
            logs.NAMESPACE: request.name,
            logs.DRY_RUN: request.dry_run,
            logs.OUTCOME: outcome.value,
            logs.MILLISECONDS: round(call.seconds * 1000, 2),
        }
        _LOGGER.info("answered", extra=logs.fields(line))
        return wire.write(request.uid, Pass.VALIDATE, Decision(outcome, allowed=True, warnings=warnings))

    async def _warnings(self, request: Request, call: Call) -> tuple[str, ...]:
        if (request.group, request.kind, request.operation) != ("", "Namespace", "UPDATE"):
            return ()
        change = Change(request.name, labels_of(request.old_object or {}), labels_of(request.object or {}))
        work = asyncio.get_running_loop().run_in_executor(self.worker, self._look, change, call)
        left = min(ANSWER_SECONDS - call.seconds, call.seconds_left)
        try:
            return await asyncio.wait_for(work, left)
        except TimeoutError:
            return (BUSY,)
        except Exception:
            # The edge of this webhook: a bug about one pod must not look as if numagate were away.
            _LOGGER.exception("bug while judging a namespace")
            return ("numagate failed on this namespace; the log of its controller has the traceback",)

    def _look(self, change: Change, call: Call) -> tuple[str, ...]:
        world = self.world(datetime.now(UTC))
        if world is None:
            return ("numagate does not know the cluster yet, so the pods of this namespace were not judged",)
        told = label_warnings(change, world)
        if not namespace_change.may_refuse_more(change, world):
            return told
        pods, unread, problem = self._listed(change, world, call)
        room = messages.MAX_WARNINGS - len(told) - len(problem)
        watch = Watch(lambda: call.seconds, JUDGE_SECONDS)
        return (*told, *review(change, world, pods, watch, unread=unread, room=room), *problem)

    def _listed(self, change: Change, world: World, call: Call) -> tuple[RunningPods, int, tuple[str, ...]]:
        """Answer the pods, how many there are beside them, and what prevented to list those."""
        pods, unread = RunningPods(world.policies), 0
        problem: tuple[str, ...] = (BUSY,)
        try:
            for page in self.list_pods(change.namespace, lambda: LIST_SECONDS - call.seconds):
                pods.add(page.items)
                unread, problem = page.remaining, ()
        except NumagateError as error:
            problem = (f"numagate could not list the pods of this namespace: {error}",)
        return pods, unread, problem
