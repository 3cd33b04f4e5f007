"""Keeps a cluster of many nodes alive: updates of reports and nodes, so many a second."""

import random
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from dataclasses import field

from controlplane.cluster import ControlPlane
from controlplane.load import MERGE
from controlplane.load import NODES
from controlplane.load import REPORTS
from controlplane.load import Call
from controlplane.load import Client
from fleets import Member
from fleets import zones_of


@dataclass(slots=True)
class Churn:
    """How many updates were sent, and for how long."""

    sent: int = 0
    seconds: float = 0.0
    stop: threading.Event = field(default_factory=threading.Event)

    @property
    def rate(self) -> float:
        """Updates a second."""
        return self.sent / self.seconds


@contextmanager
def churn(cluster: ControlPlane, members: list[Member], *, rate: float, threads: int = 16) -> Iterator[Churn]:
    """Update reports and nodes all the time of a `with` block; every thread keeps its share of the rate."""
    found, lock = Churn(), threading.Lock()

    def work(number: int) -> None:
        chance = random.Random(number)  # noqa: S311  # makes load, keeps no secret
        due = time.monotonic()
        with Client.of(cluster) as client:
            for call in updates(members, chance):
                if found.stop.wait(max(0.0, due - time.monotonic())):
                    return
                client.send(call)
                due += threads / rate
                with lock:
                    found.sent += 1

    workers = [threading.Thread(target=work, args=(number,)) for number in range(threads)]
    began = time.monotonic()
    for worker in workers:
        worker.start()
    try:
        yield found
    finally:
        found.stop.set()
        for worker in workers:
            worker.join()
        found.seconds = time.monotonic() - began


def updates(members: list[Member], chance: random.Random) -> Iterator[Call]:
    """Yield what a live cluster sends: of ten updates seven of free capacity, two of labels that pass, one cordon."""
    while True:
        member = chance.choice(members)
        report, node = f"{REPORTS}/{member.name}", f"{NODES}/{member.name}"
        match chance.randrange(10):
            case 0:
                yield Call("PATCH", node, {"spec": {"unschedulable": chance.choice([True, None])}}, MERGE)
            case 1 | 2:
                labels = {"nvidia.com/gfd.timestamp": str(chance.randrange(1 << 32))}
                notes = {"example.com/heartbeat": str(chance.randrange(1 << 32))}
                yield Call("PATCH", node, {"metadata": {"labels": labels, "annotations": notes}}, MERGE)
            case _:
                yield Call("PATCH", report, {"zones": zones_of(member, chance)}, MERGE)
