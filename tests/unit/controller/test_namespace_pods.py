"""The pods of a namespace, listed page by page until the time ends."""

from itertools import count

import pytest
from scripted import Reply
from scripted import listed
from scripted import scripted

from webhook.controller.namespace_pods import MAX_BYTES
from webhook.controller.namespace_pods import list_pods
from webhook.kube.error import KubeError

PODS = "GET /api/v1/namespaces/team-a/pods"
FIRST = {"metadata": {"name": "a"}}
SECOND = {"metadata": {"name": "b"}}


def test_every_page_is_listed_at_one_resource_version() -> None:
    with scripted({PODS: [listed(FIRST, more="next"), listed(SECOND)]}) as (server, client):
        found = [page.items for page in list_pods(client, "team-a", lambda: 1.0)]
        asked = [one.query for one in server.asked]

    assert found == [[FIRST], [SECOND]]
    assert asked == [{"limit": "250"}, {"limit": "250", "continue": "next"}]


def test_no_page_is_asked_for_when_the_time_is_over() -> None:
    left = count(1, -1)
    with scripted({PODS: [listed(FIRST, more="next")]}) as (server, client):
        found = list(list_pods(client, "team-a", lambda: float(next(left))))
        asked = len(server.asked)

    assert (len(found), asked) == (1, 1)


def test_a_page_says_how_many_pods_are_left() -> None:
    meta = {"resourceVersion": "1", "continue": "next", "remainingItemCount": 1200}
    with scripted({PODS: [Reply({"metadata": meta, "items": [FIRST]})]}) as (_, client):
        page = next(list_pods(client, "team-a", lambda: 1.0))

    assert page.remaining == 1200


def test_a_page_that_was_made_too_large_is_not_read() -> None:
    huge = Reply({"items": [{"metadata": {"annotations": {"a": "x" * MAX_BYTES}}}]})
    with scripted({PODS: [huge]}) as (_, client), pytest.raises(KubeError, match="larger than 16777216 bytes"):
        next(list_pods(client, "team-a", lambda: 1.0))
