"""The node as the token names it."""

import pytest
from scripted import Reply
from scripted import scripted

from webhook.domain.keys import NODE_NAME
from webhook.domain.keys import NODE_UID
from webhook.node.identity import Owner

ASK = "POST /apis/authentication.k8s.io/v1/selfsubjectreviews"


def review(extra: dict[str, list[str]]) -> Reply:
    """Answer a review."""
    return Reply({"status": {"userInfo": {"username": "a", "extra": extra}}})


def test_the_uid_is_asked_for_until_it_is_known() -> None:
    answers = [Reply({"message": "away"}, 503), review({NODE_NAME: ["gpu-1"], NODE_UID: ["uid"]})]
    with scripted({ASK: answers}) as (server, client):
        owner = Owner(client, node="gpu-1")
        found = [owner() for _ in range(3)]

    assert (found, server.count(ASK)) == (["", "uid", "uid"], 2)


def test_a_node_that_registered_anew_is_known_after_an_hour() -> None:
    old, new = (review({NODE_NAME: ["gpu-1"], NODE_UID: [uid]}) for uid in ("old", "new"))
    clock = [100.0]
    with scripted({ASK: [old, Reply({"message": "away"}, 503), new]}) as (server, client):
        owner = Owner(client, node="gpu-1", monotonic=lambda: clock[0])
        found = [owner()]
        for seconds in (3599.0, 1.0, 1.0, 3598.0):
            clock[0] += seconds
            found.append(owner())

    assert (found, server.count(ASK)) == (["old", "old", "old", "new", "new"], 3)


@pytest.mark.parametrize(
    ("extra", "named"),
    [({NODE_NAME: ["gpu-2"], NODE_UID: ["uid"]}, "node gpu-2"), ({}, "no node")],
    ids=["another", "none"],
)
def test_a_token_of_another_node_owns_nothing_and_is_told_once(
    extra: dict[str, list[str]], named: str, caplog: pytest.LogCaptureFixture
) -> None:
    clock = [0.0]
    with scripted({ASK: [review(extra)]}) as (_, client):
        owner = Owner(client, node="gpu-1", monotonic=lambda: clock[0])
        found = [owner() for _ in range(2)]
        clock[0] = 10_000.0
        found.append(owner())

    assert found == ["", "", ""]
    told = f"the token names '{named}', not 'gpu-1': the admission policy of the agent refuses its writes; "
    assert [record.getMessage() for record in caplog.records] == [f"{told}run it as a pod of that node"]
