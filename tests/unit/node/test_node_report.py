"""The object of the node: when it is written."""

from contextlib import suppress

import pytest
from scripted import Reply
from scripted import scripted

from webhook.domain.raw import JsonObject
from webhook.kube.client import Client
from webhook.kube.error import KubeError
from webhook.node.metrics import Metrics
from webhook.node.report import Report

PATH = "PATCH /apis/numagate.io/v1alpha1/nodealignments/gpu-1"


def document(observed: str = "12:00", aligned: int = 1, share: str = "97 %") -> JsonObject:
    """Make an object."""
    wrong = {"name": "llm", "reason": f"{share} on NUMA node 0", "rules": [{"rule": "local-memory", "seen": share}]}
    pods = {"aligned": aligned, "misalignedPods": [wrong]}
    return {"metadata": {"name": "gpu-1"}, "spec": {"observed": observed, "pods": pods}}


class Clock:
    """A clock that a test moves."""

    now = 100.0

    def __call__(self) -> float:
        """Answer the time."""
        return self.now


def report(client: Client, clock: Clock, chance: float = 0.0) -> Report:
    """Make a report with 15 seconds between two writes, renewed after 300."""
    return Report(client, node="gpu-1", metrics=Metrics("0"), monotonic=clock, chance=lambda: chance)


def test_it_is_applied_and_force_settles_who_owns_it() -> None:
    with scripted({PATH: [Reply()]}) as (server, client):
        report(client, Clock()).tell(document())

    assert server.asked[0].query == {"fieldManager": "numagate-agent", "force": "true"}
    assert server.asked[0].body == document()


@pytest.mark.parametrize(
    ("seconds", "aligned", "writes"),
    [(299, 1, 1), (300, 1, 2), (14, 2, 1), (15, 2, 2)],
    ids=["same", "same-and-old", "other-too-soon", "other"],
)
def test_it_is_written_when_it_says_something_else_or_grows_old(seconds: float, aligned: int, writes: int) -> None:
    clock = Clock()
    with scripted({PATH: [Reply()]}) as (server, client):
        made = report(client, clock)
        made.tell(document())
        clock.now += seconds
        made.tell(document("12:01", aligned))

    assert len(server.asked) == writes


def test_a_number_in_a_text_is_no_reason_to_write() -> None:
    clock = Clock()
    with scripted({PATH: [Reply()]}) as (server, client):
        made = report(client, clock)
        made.tell(document())
        clock.now += 60
        made.tell(document(share="96 %"))

    assert len(server.asked) == 1


def test_nodes_renew_at_times_of_their_own() -> None:
    clock = Clock()
    with scripted({PATH: [Reply()]}) as (server, client):
        made = report(client, clock, chance=1.0)
        made.tell(document())
        clock.now += 225
        made.tell(document())

    assert len(server.asked) == 2


def test_an_object_that_is_refused_is_tried_less_and_less_often_and_then_as_ever() -> None:
    clock = Clock()
    refused = Reply({"message": "field not declared in schema"}, 400)
    with scripted({PATH: [*[refused] * 8, Reply()]}) as (server, client):
        made = report(client, clock)
        tries = []
        for look in range(20):
            clock.now = 100.0 + 30 * look
            with suppress(KubeError):
                made.tell(document(aligned=look))
            tries.append(len(server.asked))

    assert [tries.index(number) for number in range(1, 12)] == [0, 1, 2, 3, 4, 5, 6, 8, 11, 12, 13]


def test_what_could_not_be_written_is_tried_at_the_next_look() -> None:
    with scripted({PATH: [Reply({"message": "away"}, 503), Reply()]}) as (server, client):
        made = report(client, Clock())
        with pytest.raises(KubeError, match="away"):
            made.tell(document())
        made.tell(document())

    assert len(server.asked) == 2
