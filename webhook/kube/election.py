"""Elects one leader among the replicas by a Lease, with the rules and times of client-go's leader election.

The `kubernetes` package has a leader election of its own. It is not used: it cannot be stopped nor give the Lease up at
the end (the next leader would wait 15 seconds), an API server that is away ends its thread with an error, and its
deadlines go by the wall clock. The rules here are few:

- A Lease is free where it has no holder, or where nobody has renewed it for its duration, *as seen from here*: only the
  time since we saw it change counts, so that clocks need not agree.
- Whoever finds it free writes itself into it, at the resource version that it has read: of two, one fails.
- The leader renews every 2 seconds. From 10 seconds without a success on it does not lead any more (5 seconds before
  another may), even where its threads hang: `leading` goes by the clock.
- At the end the leader gives the Lease up, so that the next one takes it at once.
"""

import logging
import random
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC
from datetime import datetime
from typing import Final

import orjson

from webhook.domain.raw import JsonObject
from webhook.domain.raw import get_object
from webhook.domain.raw import get_text
from webhook.kube.client import Ask
from webhook.kube.client import Client
from webhook.kube.error import CONFLICT
from webhook.kube.error import KubeError
from webhook.kube.listing import read_object
from webhook.kube.resource import Resource

LEASES: Final = Resource("coordination.k8s.io", "v1", "leases")
JITTER: Final = 1.2

_LOGGER = logging.getLogger("numagate.election")


@dataclass(frozen=True, slots=True, kw_only=True)
class Times:
    """Seconds: how long a Lease holds, until when the leader must have renewed it, and the pause between two tries."""

    lease: float = 15.0
    renew: float = 10.0
    retry: float = 2.0


class Election:
    """One candidate; `identity` must be its alone. `on_change` hears, on the thread of `run`, of winning and losing."""

    def __init__(
        self,
        client: Client,
        *,
        namespace: str,
        name: str,
        identity: str,
        times: Times | None = None,
        on_change: Callable[[bool], None] = lambda _leading: None,
    ) -> None:
        self._client = client
        self._path = LEASES.path(namespace, name)
        self._name, self._namespace = name, namespace
        self.identity = identity
        self._times = times or Times()
        self._on_change = on_change
        self._seen: JsonObject | None = None
        self._seen_at = 0.0
        self._until = 0.0
        self._told = False

    @property
    def leading(self) -> bool:
        """Whether we lead at this very moment; may be asked from any thread."""
        return time.monotonic() < self._until

    def run(self, stop: threading.Event) -> None:
        """Stand for election, and lead, until `stop` is set; then give the Lease up."""
        while not stop.is_set():
            started = time.monotonic()
            try:
                if self._try():
                    self._until = started + self._times.renew
            except KubeError as error:
                _LOGGER.warning("lease not renewed: %s", error)
            self._tell()
            pause = self._times.retry if self.leading else self._times.retry * random.uniform(1.0, JITTER)  # noqa: S311
            stop.wait(pause)
        self._release()

    def _tell(self) -> None:
        if self.leading != self._told:
            self._told = not self._told
            _LOGGER.info("leading" if self._told else "not leading any more")
            self._on_change(self._told)

    def _try(self) -> bool:
        lease = self._read()
        if lease is None:
            return self._write({}, {})
        spec = get_object(lease, "spec")
        if spec != self._seen:
            self._seen, self._seen_at = spec, time.monotonic()
        holder = get_text(spec, "holderIdentity")
        if holder not in {"", self.identity} and time.monotonic() < self._seen_at + _duration(spec):
            return False
        return self._write(get_object(lease, "metadata"), spec)

    def _read(self) -> JsonObject | None:
        try:
            return read_object(self._client.send(Ask(path=self._path, seconds=self._times.renew / 2)), self._path)
        except KubeError as error:
            if error.absent:
                return None
            raise

    def _write(self, meta: JsonObject, old: JsonObject) -> bool:
        now = _instant()
        ours = get_text(old, "holderIdentity") == self.identity
        count = old.get("leaseTransitions")
        before = count if isinstance(count, int) else 0
        return self._put(
            meta,
            {
                "holderIdentity": self.identity,
                "leaseDurationSeconds": max(1, round(self._times.lease)),
                "acquireTime": get_text(old, "acquireTime") or now if ours else now,
                "renewTime": now,
                "leaseTransitions": before if ours or not old else before + 1,
            },
        )

    def _put(self, meta: JsonObject, spec: JsonObject) -> bool:
        # PUT creates a Lease, too, and unlike POST it names it, so that a role can grant it on this name only.
        named = {"name": self._name, "namespace": self._namespace}
        version = get_text(meta, "resourceVersion")
        body = {
            "apiVersion": "coordination.k8s.io/v1",
            "kind": "Lease",
            "metadata": {**meta, **named} if version else named,
            "spec": spec,
        }
        try:
            self._client.send(
                Ask(method="PUT", path=self._path, body=orjson.dumps(body), seconds=self._times.renew / 2)
            )
        except KubeError as error:
            if error.status != CONFLICT:
                raise
            return False
        self._seen, self._seen_at = spec, time.monotonic()
        return True

    def _release(self) -> None:
        if not self.leading:
            return
        self._until = 0.0
        self._tell()
        try:
            lease = self._read()
            spec = get_object(lease, "spec")
            if lease is not None and get_text(spec, "holderIdentity") == self.identity:
                gone = {key: value for key, value in spec.items() if key != "holderIdentity"}
                self._put(get_object(lease, "metadata"), {**gone, "leaseDurationSeconds": 1, "renewTime": _instant()})
        except KubeError as error:
            _LOGGER.warning("lease not given up: %s; the next leader waits until it ends", error)


def _duration(spec: JsonObject) -> float:
    seconds = spec.get("leaseDurationSeconds")
    return float(seconds) if isinstance(seconds, int) else 0.0


def _instant() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
