"""Tells the cluster how the pods of the node stand: a condition in their status, and an event when it changes.

What cannot be written is written after the next look, because it is still different then; what is refused again and
again is left alone for longer each time. An API server that is away is asked for one pod in a look, not for each; the
next look begins with those that it was not asked for. What one namespace brings about (a webhook of its own that is
broken) is nothing to the pods of others.
"""

import logging
import time
from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Sequence
from datetime import UTC
from datetime import datetime
from typing import Final

from webhook.domain.raw import JsonObject
from webhook.domain.raw import get_text
from webhook.domain.verdict import Outcome
from webhook.kube.client import Client
from webhook.kube.error import CONFLICT
from webhook.kube.error import KubeError
from webhook.kube.once import Once
from webhook.kube.telling import create_event
from webhook.kube.telling import repeat_event
from webhook.kube.telling import set_condition
from webhook.node import events
from webhook.node import standing
from webhook.node.allowance import Allowance
from webhook.node.judging import Judged
from webhook.node.metrics import CONDITION
from webhook.node.metrics import EVENT
from webhook.node.metrics import Metrics
from webhook.node.own_pods import OwnPods
from webhook.node.pauses import Pauses

MANAGER: Final = "numagate-agent"
"""The field manager of all that the agent writes."""
LASTING_SECONDS: Final = 60.0
"""A pod that was in order, and is found out of order for so long, is."""

_LOGGER = logging.getLogger("numagate.agent")


class Teller:
    """Tells of the pods of one node; used by one thread."""

    def __init__(
        self,
        client: Client,
        *,
        node: str,
        pods: OwnPods,
        metrics: Metrics,
        lasting_seconds: float = LASTING_SECONDS,
        allowance: Allowance | None = None,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._client = client
        self._node = node
        self._pods = pods
        self._metrics = metrics
        self._lasting_seconds = lasting_seconds
        self._allowance = allowance or Allowance()
        self._monotonic = monotonic
        self._once = Once(_LOGGER)
        self._not_aligned: dict[str, tuple[Outcome, float]] = {}
        self._said: dict[str, dict[str, int]] = {}
        self._skipped: list[str] = []
        self._pauses = Pauses(monotonic)

    def tell(self, judged: Iterable[Judged], instant: datetime) -> None:
        """Write what is new."""
        judged = self._in_turn(judged)
        self._forget({one.pod.uid for one in judged})
        # Of all of them, however far the telling comes.
        lasting = [self._lasts(one) for one in judged]
        failed = False
        for number, one in enumerate(judged):
            if self._pauses.holds(one.pod.uid):
                failed = True
                continue
            try:
                self._tell(one, instant, lasting=lasting[number])
            except KubeError as error:
                self._warn(error)
                failed = True
                if error.passing:
                    self._skipped = [left.pod.uid for left in judged[number + 1 :]]
                    return
                self._pauses.failed(one.pod.uid)
            else:
                self._pauses.wrote(one.pod.uid)
        if not failed:
            self._once.again()

    def seconds_left(self) -> float | None:
        """Answer how long it is until what is wrong now counts as lasting, None where nothing is."""
        now = self._monotonic()
        left = [began + self._lasting_seconds - now for _, began in self._not_aligned.values()]
        return min((seconds for seconds in left if seconds > 0), default=None)

    def _warn(self, error: KubeError) -> None:
        """Log what went wrong; an API server that is away is one trouble, whichever pod it is met with."""
        self._once.warn(str(error), trouble="away" if error.passing else "")

    def _in_turn(self, judged: Iterable[Judged]) -> Sequence[Judged]:
        """Answer first those that the last look did not come to, in the same order."""
        turns = {uid: turn for turn, uid in enumerate(self._skipped)}
        self._skipped = []
        return sorted(judged, key=lambda one: turns.get(one.pod.uid, len(turns)))

    def _forget(self, uids: set[str]) -> None:
        self._pauses.keep(uids)
        for memory in (self._not_aligned, self._said):
            for uid in memory.keys() - uids:
                del memory[uid]

    def _tell(self, one: Judged, instant: datetime, *, lasting: bool) -> None:
        told = standing.read(one.pod.raw)
        circumstances = standing.Circumstances(
            gated=standing.is_gated(one.pod.raw),
            settled=one.settled,
            unknown_is_ready=one.unknown_is_ready,
            lasting=lasting,
        )
        about = {"namespace": one.pod.namespace, "name": one.pod.name, "uid": one.pod.uid}
        unsaid = None
        if one.verdict.forged:
            unsaid = self._say_once(events.of_forgery(about, node=self._node, instant=instant), one.pod.uid)
        wanted = standing.due(told, one.verdict, circumstances)
        if wanted is not None:
            # The event first: if the condition fails after it, both are tried again, and the event is found there.
            self._say(events.of_standing(wanted, about, node=self._node, instant=instant), one.pod.uid, instant)
            self._set(one, standing.condition(wanted, told, instant=_written(instant)))
        elif unsaid is not None and unsaid.passing:
            raise unsaid

    def _lasts(self, one: Judged) -> bool:
        """Tell whether the pod has been found the same, and not aligned, for long; not before it has settled."""
        outcome, uid = one.verdict.outcome, one.pod.uid
        if outcome is Outcome.ALIGNED or not one.settled:
            self._not_aligned.pop(uid, None)
            return False
        now = self._monotonic()
        found, began = self._not_aligned.get(uid, (outcome, now))
        if found is not outcome:
            began = now
        self._not_aligned[uid] = (outcome, began)
        return now - began >= self._lasting_seconds

    def _set(self, one: Judged, condition: JsonObject) -> None:
        pod = one.pod
        try:
            answer = set_condition(
                self._client,
                namespace=pod.namespace,
                name=pod.name,
                uid=pod.uid,
                condition=condition,
                manager=MANAGER,
            )
        except KubeError as error:
            if error.absent or error.status == CONFLICT:
                return  # it has gone; its watch will say so
            self._metrics.failed(CONDITION)
            raise
        self._metrics.wrote(CONDITION)
        self._pods.written(f"{pod.namespace}/{pod.name}", answer)

    def _say_once(self, event: JsonObject, uid: str) -> KubeError | None:
        return None if events.name_of(event) in self._said.get(uid, {}) else self._say(event, uid, None)

    def _say(self, event: JsonObject, uid: str, again: datetime | None) -> KubeError | None:
        """Say something about the pod `uid`; that it is said `again`, where it was said before.

        Answer what went wrong: an event is a courtesy, for which no condition waits.
        """
        if not self._allowance.take():
            self._metrics.left_out.inc()
            return None
        name, namespace = events.name_of(event), get_text(event["regarding"], "namespace")
        said = self._said.setdefault(uid, {})
        try:
            try:
                create_event(self._client, event, namespace=namespace, manager=MANAGER)
            except KubeError as error:
                if error.status != CONFLICT:
                    raise
                if again is not None:
                    count = said.get(name, 1) + 1
                    series = events.series(count, again)
                    repeat_event(self._client, namespace=namespace, name=name, series=series, manager=MANAGER)
                    said[name] = count
            said.setdefault(name, 1)
        except KubeError as error:
            self._metrics.failed(EVENT)
            self._warn(error)
            return error
        self._metrics.wrote(EVENT)
        return None


def _written(instant: datetime) -> str:
    """Write a time as the API server does."""
    return f"{instant.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}"
