"""One look after the other: observe the node, judge its pods, tell what is new."""

import logging
import threading
import time
from collections.abc import Callable
from collections.abc import Sequence
from datetime import UTC
from datetime import datetime
from functools import partial
from typing import Final
from typing import TypeAlias

from webhook import __version__
from webhook.domain.node_alignment import document
from webhook.domain.observation import Observation
from webhook.domain.raw import JsonObject
from webhook.domain.verdict import NodeVerdict
from webhook.engine.verify import has_promise
from webhook.engine.verify import judge
from webhook.kube.error import KubeError
from webhook.kube.once import Once
from webhook.node import standing
from webhook.node.doubts import Doubts
from webhook.node.judging import Judged
from webhook.node.judging import tellable
from webhook.node.judging import unexplained
from webhook.node.metrics import Metrics
from webhook.node.own_pods import OwnPods
from webhook.node.pace import Pace
from webhook.node.policies import Policies
from webhook.node.report import Report
from webhook.node.state import State
from webhook.node.telling import Teller

Observe: TypeAlias = Callable[[Sequence[JsonObject], Callable[[JsonObject], bool]], Observation]
"""Looks at the node, on which these pods run, and into the processes of those of which the function says so."""

_MOST_WAIT: Final = 3600.0
_MOST_SLEEP: Final = 30.0
"""So that the loop shows now and then that it turns."""

_LOGGER = logging.getLogger("numagate.agent")


class Agent:
    """The loop; `ring` may be called from any thread, everything else is for one."""

    def __init__(
        self,
        *,
        pods: OwnPods,
        policies: Policies,
        observe: Observe,
        teller: Teller,
        report: Report,
        metrics: Metrics,
        state: State,
        pace: Pace,
        owner: Callable[[], str] = lambda: "",
    ) -> None:
        """`owner` answers the UID of the Node, "" while it is not known."""
        self._pods = pods
        self._policies = policies
        self._doubts = Doubts()
        self._observe = observe
        self._teller = teller
        self._report = report
        self._metrics = metrics
        self._state = state
        self._pace = pace
        self._owner = owner
        self._started = datetime.now(UTC)
        self._once = Once(_LOGGER)
        self._bell = threading.Event()
        self._rung = False
        self._cost = 0.0

    def ring(self) -> None:
        """Say that something has changed."""
        self._rung = True
        self._bell.set()

    def run(self, stop: threading.Event) -> None:
        """Look until `stop` is set and the bell was rung."""
        while not stop.is_set():
            self._state.beat()
            now = time.monotonic()
            if self._rung:
                self._rung = False
                self._pace.changed(now)
            # Until the pods are known there is nothing to look for; whoever completes the picture rings.
            left = self._pace.due - now if self._pods.whole else _MOST_SLEEP
            if left > 0:
                self._bell.wait(min(left, _MOST_SLEEP))
                self._bell.clear()
                continue
            self._pace.began(now)
            self._cost = 0.0
            try:
                wait = self.look()
            except Exception:
                # The edge of the loop: a bug about one state of the node must not end the watch over it.
                self._metrics.failures.inc()
                _LOGGER.exception("bug while looking at the node")
                wait = _MOST_WAIT
            # What it takes to tell is the API server's time, not this node's.
            self._pace.ended(time.monotonic(), seconds=self._cost, wait=wait)

    def look(self) -> float:
        """Look once, and tell; answer after how many seconds there will be something to tell that is not yet."""
        began = time.monotonic()
        # Before they are taken: those in hand are then at least as new.
        asked = self._policies.asked
        world = self._policies(datetime.now(UTC))
        if world is None:
            return _MOST_WAIT  # whoever reads the policies rings
        observation = self._observe(self._pods.running(), partial(has_promise, world=world))
        verdict = judge(observation, world)
        self._cost = time.monotonic() - began
        self._metrics.looked(
            observation.instant, seconds=self._cost, unread=len(observation.unread) + len(observation.machine.unread)
        )
        self._state.looked(time.monotonic())
        young = self._doubts.open(unexplained(observation, verdict), asked=asked, now=time.monotonic())
        if young:
            self._policies.ask()
        judged = tuple(tellable(observation, verdict, world, young))
        self._metrics.judged(verdict, held_back=sum(map(_holds_back, judged)))
        self._teller.tell(judged, observation.instant)
        self._tell_of_node(observation, verdict)
        return self._wait(judged, observation.instant)

    def _tell_of_node(self, observation: Observation, verdict: NodeVerdict) -> None:
        made = document(
            observation,
            verdict.pods,
            faults=verdict.faults,
            version=__version__,
            started=self._started,
            owner=self._owner() or None,
        )
        try:
            self._report.tell(made)
        except KubeError as error:
            self._once.warn(str(error))
        else:
            self._once.again()

    def _wait(self, judged: Sequence[Judged], instant: datetime) -> float:
        settling = [(one.settles - instant).total_seconds() for one in judged if one.settles is not None]
        lasting = self._teller.seconds_left()
        return min([*settling, *([lasting] if lasting is not None else []), _MOST_WAIT])


def _holds_back(one: Judged) -> bool:
    """Tell whether the condition of the pod, as last read, keeps it from being ready; one that is missing does."""
    told = standing.read(one.pod.raw)
    return standing.is_gated(one.pod.raw) and (told is None or told.status != standing.TRUE)
