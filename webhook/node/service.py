"""Puts the agent together and runs it: the watch of the node's pods, the policies, the loop, and the plain port.

Threads: the event loop of the probes (the main thread), the watch, the reading of policies, and the loop that looks and
tells. SIGTERM ends them; nothing that is half done harms, because whatever is different is written after the next look.
"""

import logging
import random
import threading
from collections.abc import Callable
from datetime import datetime
from typing import Final

from webhook import __version__
from webhook.kube.backoff import Backoff
from webhook.kube.client import Client
from webhook.kube.reflector import Reflector
from webhook.kube.telling import PODS
from webhook.node.agent import Agent
from webhook.node.agent import Observe
from webhook.node.identity import Owner
from webhook.node.metrics import Metrics
from webhook.node.own_pods import OwnPods
from webhook.node.pace import Pace
from webhook.node.policies import Policies
from webhook.node.report import Report
from webhook.node.settings import Settings
from webhook.node.state import State
from webhook.node.telling import Teller
from webhook.web import listener
from webhook.web import logs
from webhook.web.probes import is_ready
from webhook.web.probes import plain_app

JOIN_SECONDS: Final = 5.0
"""For each thread to end; none waits for anything but the API server, whose streams are closed by then."""

_CONNECTIONS: Final = 64
"""Of the plain port: kubelet and Prometheus need a handful."""

_LOGGER = logging.getLogger("numagate.agent")


class Service:
    """The running agent; `started` is set once its port answers."""

    def __init__(
        self,
        settings: Settings,
        *,
        client: Client,
        observe: Observe,
        backoff: Callable[[], Backoff] = Backoff,
    ) -> None:
        """Open the port; the API server is first asked by `run`.

        Raises:
            NumagateError: the port is taken.
        """
        self._settings = settings
        self._client = client
        self._stop = threading.Event()
        self.started = threading.Event()
        self.metrics = Metrics(__version__)
        self.pods = OwnPods(self._ring)
        self._policies = Policies(
            client,
            namespace=settings.namespace,
            name=settings.world,
            on_read=self._read,
            read_seconds=settings.read_seconds,
            ask_seconds=settings.ask_seconds,
            backoff=backoff(),
        )
        self._policies_read = False
        self.state = State(missing=self._missing)
        self._reflector = Reflector(
            client,
            [PODS],
            self.pods,
            fields=f"spec.nodeName={settings.node}",
            cached=True,
            on_restart=self.metrics.restarts.inc,
            backoff=backoff(),
        )
        self._agent = self._looking(client, observe)
        self.metrics.ready(lambda: is_ready(self.state))
        self._socket = listener.bind(settings.bind, settings.probe_port)
        self.probe_port: int = self._socket.getsockname()[1]
        self._probes = listener.Listener(
            listener.configure(plain_app(state=self.state, metrics=self.metrics), lifespan=False),
            on_start=self._serving,
            on_drain=self._drain,
            connections=_CONNECTIONS,
        )

    def run(self) -> None:
        """Look and tell until a signal ends it."""
        runs = {"watch-Pod": self._watch, "policies": self._policies.run, "look": self._agent.run}
        threads = [
            threading.Thread(target=run, args=(self._stop,), name=name, daemon=True) for name, run in runs.items()
        ]
        for thread in threads:
            thread.start()
        try:
            self._probes.run([self._socket])
        finally:
            self._stop.set()
            self._client.close()
            self._agent.ring()
            for thread in threads:
                thread.join(JOIN_SECONDS)
            _LOGGER.info("stopped")

    def stop(self) -> None:
        """End; may be called from any thread."""
        self._probes.stop(drain_seconds=0.0)

    def _looking(self, client: Client, observe: Observe) -> Agent:
        settings, metrics = self._settings, self.metrics
        return Agent(
            pods=self.pods,
            policies=self._policies,
            observe=observe,
            teller=Teller(
                client,
                node=settings.node,
                pods=self.pods,
                metrics=metrics,
                lasting_seconds=settings.lasting_seconds,
            ),
            report=Report(client, node=settings.node, metrics=metrics, apart_seconds=settings.apart_seconds),
            metrics=metrics,
            state=self.state,
            pace=Pace(look_seconds=settings.look_seconds, soon_seconds=settings.soon_seconds),
            owner=Owner(client, node=settings.node),
        )

    def _watch(self, stop: threading.Event) -> None:
        # Where a new version of the agent is rolled out, or all nodes start, not all of them list at once.
        stop.wait(self._settings.spread_seconds * random.random())  # noqa: S311  # spreads load, keeps no secret
        self._reflector.run(stop)

    def _ring(self) -> None:
        self._agent.ring()

    def _read(self, instant: datetime) -> None:
        self.metrics.policies_read(instant)
        self._policies_read = True
        self._agent.ring()

    def _missing(self) -> list[str]:
        missing = [] if self.pods.whole else ["pods"]
        return missing if self._policies_read else [*missing, "policies"]

    def _serving(self) -> None:
        self.started.set()
        _LOGGER.info("watching", extra=logs.fields({logs.PROBE_PORT: self.probe_port}))

    def _drain(self, _seconds: float) -> None:
        self.state.draining = True
