"""Leader election against a scripted API server: who may take a Lease, who keeps it, and how it is given up."""

from typing import Any

import pytest
from scripted import Asked
from scripted import Reply
from scripted import Stream
from scripted import scripted
from scripted import thread_of
from serving import wait_until

from webhook.kube.election import Election
from webhook.kube.election import Times

PATH = "/apis/coordination.k8s.io/v1/namespaces/ours/leases/controller"
GET, PUT = f"GET {PATH}", f"PUT {PATH}"
QUICK = Times(lease=60.0, renew=30.0, retry=0.01)
ABSENT = Reply({"reason": "NotFound"}, 404)
CONFLICT = Reply({"reason": "Conflict"}, 409)


def lease(holder: str | None, version: str = "7", **spec: object) -> Reply:
    """Build a Lease."""
    held = {} if holder is None else {"holderIdentity": holder}
    spec = {**held, "leaseDurationSeconds": 15, "acquireTime": "then", "renewTime": "now", "leaseTransitions": 3} | spec
    return Reply({"metadata": {"name": "controller", "namespace": "ours", "resourceVersion": version}, "spec": spec})


def puts(script: dict[str, list[Reply | Stream]], *, until: str = PUT, times: Times = QUICK) -> list[Asked]:
    """Stand for election until the script was asked `until`; answer what was written, the giving up last."""
    with scripted(script) as (server, client):
        election = Election(client, namespace="ours", name="controller", identity="me", times=times)
        with thread_of(election.run, client):
            wait_until(lambda: server.count(until) > 1)
        assert not election.leading
        return [asked for asked in server.asked if asked.key == PUT]


def spec_of(asked: Asked) -> dict[str, Any]:
    """Answer the spec that was written."""
    spec: dict[str, Any] = asked.body["spec"]
    return spec


def test_a_lease_that_does_not_exist_is_created() -> None:
    first = puts({GET: [ABSENT, lease("me")], PUT: [Reply()]})[0]

    assert first.body["metadata"] == {"name": "controller", "namespace": "ours"}
    assert (spec_of(first)["holderIdentity"], spec_of(first)["leaseDurationSeconds"]) == ("me", 60)
    assert spec_of(first)["leaseTransitions"] == 0


@pytest.mark.parametrize("holder", [None, ""])
def test_a_lease_that_was_given_up_is_taken_at_the_version_that_was_read(holder: str | None) -> None:
    first = puts({GET: [lease(holder, "7"), lease("me")], PUT: [Reply()]})[0]

    assert first.body["metadata"]["resourceVersion"] == "7"
    assert (spec_of(first)["holderIdentity"], spec_of(first)["leaseTransitions"]) == ("me", 4)


def test_a_lease_that_another_renews_is_left_alone() -> None:
    renewed = [lease("other", str(number), renewTime=str(number)) for number in range(100)]

    assert puts({GET: [*renewed]}, until=GET) == []


def test_a_lease_that_nobody_renews_is_taken_after_its_duration_as_seen_from_here() -> None:
    first = puts({GET: [lease("other", leaseDurationSeconds=0)], PUT: [Reply()]})[0]

    assert spec_of(first)["holderIdentity"] == "me"


def test_our_own_lease_is_renewed_and_keeps_its_time_of_winning() -> None:
    first = puts({GET: [lease("me")], PUT: [Reply()]})[0]

    assert (spec_of(first)["acquireTime"], spec_of(first)["leaseTransitions"]) == ("then", 3)


def test_the_leader_gives_the_lease_up_at_the_end() -> None:
    last = puts({GET: [lease("me")], PUT: [Reply()]})[-1]

    assert "holderIdentity" not in spec_of(last)
    assert (spec_of(last)["leaseDurationSeconds"], spec_of(last)["leaseTransitions"]) == (1, 3)


def test_of_two_that_write_at_once_one_does_not_lead() -> None:
    with scripted({GET: [lease(None)], PUT: [CONFLICT]}) as (server, client):
        election = Election(client, namespace="ours", name="controller", identity="me", times=QUICK)
        with thread_of(election.run, client):
            wait_until(lambda: server.count(PUT) > 2)
            assert not election.leading


def test_a_leader_that_cannot_renew_stops_leading_by_the_clock_alone() -> None:
    heard: list[bool] = []
    script: dict[str, list[Reply | Stream]] = {GET: [lease("me"), Reply({}, 503)], PUT: [Reply()]}
    with scripted(script) as (_, client):
        times = Times(lease=1.0, renew=0.2, retry=0.01)
        election = Election(
            client, namespace="ours", name="controller", identity="me", times=times, on_change=heard.append
        )
        with thread_of(election.run, client):
            wait_until(lambda: heard == [True, False])
            assert not election.leading
