"""Sends requests at a given rate, whether or not those before have been answered, and keeps every outcome."""

import http.client
import itertools
import json
import re
import threading
import time
from collections import Counter
from collections.abc import Callable
from collections.abc import Iterator
from contextlib import AbstractContextManager
from contextlib import contextmanager
from dataclasses import dataclass
from dataclasses import field
from typing import Any

from controlplane.cluster import ControlPlane
from controlplane.load import Call
from controlplane.load import Client
from controlplane.load import Reply
from controlplane.replicas import Replica
from serving import review_body

_PORT = re.compile(r":\d{4,5}\b")

THREADS = 48
"""Clients; so many requests can be on their way at once."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """One request: when it was due, how long after that its reply was there, and what was wrong, "" for nothing."""

    due: float
    seconds: float
    error: str


@dataclass(slots=True)
class Arrivals:
    """What has come of the requests so far."""

    rate: float
    began: float = field(default_factory=time.monotonic)
    outcomes: list[Outcome] = field(default_factory=list)
    over: threading.Event = field(default_factory=threading.Event)
    ended: float | None = None

    def end(self) -> None:
        """Let no more arrive; those on their way go on."""
        if self.ended is None:
            self.ended = time.monotonic()
            self.over.set()

    @property
    def failed(self) -> list[Outcome]:
        """Those with an error, in the order of their arrival."""
        return sorted((one for one in self.outcomes if one.error), key=lambda one: one.due)

    @property
    def errors(self) -> Counter[str]:
        """How often each error came."""
        return Counter(one.error for one in self.failed)

    @property
    def seconds(self) -> float:
        """How long requests have been arriving, or have been when it ended."""
        return (self.ended or time.monotonic()) - self.began

    @property
    def offered(self) -> float:
        """How many requests a second arrived."""
        return len(self.outcomes) / self.seconds

    def percentile(self, share: float, *, since: float = 0.0, until: float = float("inf")) -> float:
        """Answer the seconds within which `share` percent of the replies came that were right."""
        taken = sorted(one.seconds for one in self.outcomes if not one.error and since <= one.due < until)
        return taken[min(len(taken) - 1, int(len(taken) * share / 100))]


Verdict = Callable[[Reply], str]
"""Says what is wrong with a reply, "" for nothing."""


@contextmanager
def arrivals(
    client: Callable[[], Client],
    call: Callable[[int], Call],
    *,
    verdict: Verdict,
    rate: float,
    threads: int = THREADS,
    kept_alive: bool = True,
) -> Iterator[Arrivals]:
    """Let `rate` requests a second arrive for the time of a `with` block; those on their way are waited for.

    `call` makes the request of a number. Without `kept_alive` each request has a connection of its own.
    """
    found, numbers = Arrivals(rate), itertools.count()

    def work() -> None:
        with client() as mine:
            for number in numbers:
                due = found.began + number / rate
                if found.over.wait(max(0.0, due - time.monotonic())) or found.over.is_set():
                    return
                error = _error_of(mine, call(number), verdict)
                found.outcomes.append(Outcome(due, time.monotonic() - due, error))
                if not kept_alive:
                    mine.close()

    workers = [threading.Thread(target=work, name=f"arrivals-{number}") for number in range(threads)]
    for worker in workers:
        worker.start()
    try:
        yield found
    finally:
        found.end()
        for worker in workers:
            worker.join()


def _error_of(client: Client, call: Call, verdict: Verdict) -> str:
    try:
        reply = client.exchange(call)
    except (OSError, http.client.HTTPException) as error:
        return f"{type(error).__name__}: {error}"
    return verdict(reply)


def pod_creations(
    cluster: ControlPlane,
    pod: Callable[[int], dict[str, Any]],
    *,
    rate: float,
    threads: int = THREADS,
    verdict: Verdict | None = None,
) -> AbstractContextManager[Arrivals]:
    """Let pods be created as dry runs, each of which must come back with numagate's label, or as `verdict` says."""

    def call(number: int) -> Call:
        made = pod(number)
        return Call("POST", f"/api/v1/namespaces/{made['metadata']['namespace']}/pods?dryRun=All", made)

    return arrivals(lambda: Client.of(cluster), call, verdict=verdict or created_and_judged, rate=rate, threads=threads)


def reviews(
    replica: Replica,
    pod: Callable[[int], dict[str, Any]],
    *,
    rate: float,
    threads: int = THREADS,
    kept_alive: bool = True,
    seconds: int = 10,
) -> AbstractContextManager[Arrivals]:
    """Let reviews of pods that are right arrive at a replica itself; `seconds` is the timeout that each one names."""

    def call(number: int) -> Call:
        return Call("POST", f"/validate?timeout={seconds}s", review_body(obj=pod(number), namespace="team"))

    return arrivals(replica.client, call, verdict=allowed, rate=rate, threads=threads, kept_alive=kept_alive)


REFUSED = "refused for a moment"
"""The error of a request that is to be sent again later."""


def allowed(reply: Reply) -> str:
    """Say what is wrong where a review did not allow its pod."""
    if reply.status in {429, 503} and reply.headers.get("retry-after", "").isdigit():
        return REFUSED
    if reply.status != http.client.OK:
        return f"{reply.status}: {reply.body.decode(errors='replace')[:400]}"
    return "" if b'"allowed":true' in reply.body else "denied"


def created_and_judged(reply: Reply) -> str:
    """Say what is wrong where a pod was not created, or not seen by numagate."""
    unseen = "" if b'"numagate.io/level"' in reply.body else "created without numagate's label"
    return created(reply) or unseen


def created(reply: Reply) -> str:
    """Say what is wrong where a pod was not created."""
    if reply.status != http.client.CREATED:
        message = json.loads(reply.body).get("message", "")
        return f"{reply.status}: {_PORT.sub(':PORT', message)}"
    return ""
