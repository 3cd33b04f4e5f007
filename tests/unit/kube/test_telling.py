"""Conditions, events and reports, as the API server is asked to write them."""

from scripted import Reply
from scripted import scripted

from webhook.kube.telling import apply_object
from webhook.kube.telling import create_event
from webhook.kube.telling import repeat_event
from webhook.kube.telling import set_condition

EVENTS = "/apis/events.k8s.io/v1/namespaces/a/events"


def test_a_condition_is_set_on_the_pod_of_this_uid_and_the_pod_is_answered() -> None:
    with scripted({"PATCH /api/v1/namespaces/a/pods/p/status": [Reply({"kind": "Pod"})]}) as (server, client):
        answer = set_condition(client, namespace="a", name="p", uid="u", condition={"type": "T"}, manager="m")
    (asked,) = server.asked

    assert answer == {"kind": "Pod"}
    assert asked.query == {"fieldManager": "m"}
    assert asked.body == {"metadata": {"uid": "u"}, "status": {"conditions": [{"type": "T"}]}}


def test_an_event_is_created_and_only_its_series_changes() -> None:
    with scripted({f"POST {EVENTS}": [Reply()], f"PATCH {EVENTS}/e": [Reply()]}) as (server, client):
        create_event(client, {"kind": "Event"}, namespace="a", manager="m")
        repeat_event(client, namespace="a", name="e", series={"count": 2}, manager="m")

    assert [one.body for one in server.asked] == [{"kind": "Event"}, {"series": {"count": 2}}]


def test_a_report_is_applied_by_force() -> None:
    with scripted({"PATCH /apis/g/v1/things/n": [Reply()]}) as (server, client):
        apply_object(client, "/apis/g/v1/things/n", {"kind": "Thing"}, manager="m")

    assert server.asked[0].query == {"fieldManager": "m", "force": "true"}
