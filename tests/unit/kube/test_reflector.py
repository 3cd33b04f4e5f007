"""The reflector against a scripted API server: lists, watches, resumes, and lists again where it must."""

from collections.abc import Set as AbstractSet

import pytest
from scripted import GONE
from scripted import Reply
from scripted import Stream
from scripted import event
from scripted import listed
from scripted import node
from scripted import scripted
from scripted import thread_of
from serving import wait_until

from webhook.domain.raw import JsonObject
from webhook.domain.raw import get_object
from webhook.kube.backoff import Backoff
from webhook.kube.reflector import Reflector
from webhook.kube.resource import Resource

NODES = Resource("", "v1", "nodes")
LIST = "GET /api/v1/nodes"
WATCH = "WATCH /api/v1/nodes"
STAY = Stream(then="stay")


class Picture:
    """Keeps what it is told."""

    def __init__(self) -> None:
        self.found: dict[str, JsonObject] = {}
        self.lists = 0

    def put(self, key: str, found: JsonObject) -> None:
        """Take an object."""
        if "bug" in get_object(found, "metadata", "labels"):
            msg = "a bug"
            raise RuntimeError(msg)
        self.found[key] = found

    def drop(self, key: str) -> None:
        """Forget an object."""
        self.found.pop(key, None)

    def keep(self, keys: AbstractSet[str]) -> None:
        """Forget all but these."""
        self.found = {key: found for key, found in self.found.items() if key in keys}
        self.lists += 1


def quick() -> Backoff:
    """Answer a backoff that no test has to wait for."""
    return Backoff(first=0.001, most=0.002)


def test_a_list_from_the_memory_of_the_api_server_is_asked_for_by_version_0() -> None:
    script = {LIST: [listed(node("a"), more="next"), listed(node("b"))], WATCH: [STAY]}
    with scripted(script) as (server, client):
        picture = Picture()
        reflector = Reflector(client, [NODES], picture, fields="metadata.name=a", cached=True)
        with thread_of(reflector.run, client):
            wait_until(lambda: server.count(WATCH) == 1)
        first, second, watch = server.asked

    assert first.query == {"limit": "500", "fieldSelector": "metadata.name=a", "resourceVersion": "0"}
    # An API server without such a memory keeps to the limit, and a continuation has a version of its own.
    assert second.query == {"limit": "500", "fieldSelector": "metadata.name=a", "continue": "next"}
    assert (sorted(picture.found), watch.query["resourceVersion"]) == (["a", "b"], "10")


def test_pages_are_one_list_and_the_watch_goes_on_from_its_version() -> None:
    script = {LIST: [listed(node("a"), more="next"), listed(node("b"))], WATCH: [STAY]}
    with scripted(script) as (server, client):
        picture = Picture()
        with thread_of(Reflector(client, [NODES], picture, page=1).run, client):
            wait_until(lambda: server.count(WATCH) == 1)
        first, second, watch = server.asked

    assert (sorted(picture.found), picture.lists) == (["a", "b"], 1)
    assert (first.query, second.query) == ({"limit": "1"}, {"limit": "1", "continue": "next"})
    assert (watch.query["resourceVersion"], watch.query["allowWatchBookmarks"]) == ("10", "true")
    assert 300 <= int(watch.query["timeoutSeconds"]) <= 600


def test_changes_are_followed_and_a_bookmark_moves_the_version_on() -> None:
    changes = [event("ADDED", node("b", "11")), event("MODIFIED", node("a", "12", gpu="h100"))]
    changes += [event("DELETED", node("b", "13")), event("BOOKMARK", {"metadata": {"resourceVersion": "20"}})]
    with scripted({LIST: [listed(node("a"))], WATCH: [Stream(changes), STAY]}) as (server, client):
        picture = Picture()
        with thread_of(Reflector(client, [NODES], picture, backoff=quick()).run, client):
            wait_until(lambda: server.count(WATCH) == 2)
        resumed = server.asked[-1].query["resourceVersion"]

    assert picture.found == {"a": node("a", "12", gpu="h100")}
    assert (resumed, picture.lists) == ("20", 1)


def test_a_version_that_is_gone_means_to_list_again() -> None:
    script = {LIST: [listed(node("a"), node("b")), listed(node("b"), node("c"))], WATCH: [Stream([GONE]), STAY]}
    restarts: list[int] = []
    with scripted(script) as (server, client):
        picture = Picture()
        reflector = Reflector(client, [NODES], picture, backoff=quick(), on_restart=lambda: restarts.append(1))
        with thread_of(reflector.run, client):
            wait_until(lambda: server.count(WATCH) == 2)

    assert (sorted(picture.found), picture.lists, len(restarts)) == (["b", "c"], 2, 1)


@pytest.mark.parametrize("trouble", [Stream([event("ADDED", node("b", "11"))], then="break"), Reply({}, 429)])
def test_a_watch_that_breaks_or_is_refused_for_now_is_resumed_without_a_list(trouble: Reply | Stream) -> None:
    with scripted({LIST: [listed(node("a"))], WATCH: [trouble, STAY]}) as (server, client):
        picture = Picture()
        with thread_of(Reflector(client, [NODES], picture, backoff=quick()).run, client):
            wait_until(lambda: server.count(WATCH) == 2)
        resumed = server.asked[-1].query["resourceVersion"]

    assert (picture.lists, resumed) == (1, "11" if isinstance(trouble, Stream) else "10")


@pytest.mark.parametrize("body", [b"<html>bad gateway</html>", {"message": "etcd is away"}])
def test_a_list_that_fails_is_tried_again(body: object) -> None:
    with scripted({LIST: [Reply(body, 502), Reply(b"[]"), listed(node("a"))], WATCH: [STAY]}) as (server, client):
        picture = Picture()
        with thread_of(Reflector(client, [NODES], picture, backoff=quick()).run, client):
            wait_until(lambda: server.count(WATCH) == 1)

    assert (sorted(picture.found), server.count(LIST)) == (["a"], 3)


def test_a_list_whose_next_page_has_expired_begins_anew() -> None:
    expired = Reply({"reason": "Expired", "message": "the continue parameter is too old"}, 410)
    script = {LIST: [listed(node("a"), more="next"), expired, listed(node("b"))], WATCH: [STAY]}
    with scripted(script) as (server, client):
        picture = Picture()
        with thread_of(Reflector(client, [NODES], picture, backoff=quick()).run, client):
            wait_until(lambda: server.count(WATCH) == 1)

    assert sorted(picture.found) == ["b"]


def test_a_kind_that_is_not_served_has_no_objects_until_it_is(caplog: pytest.LogCaptureFixture) -> None:
    missing = Reply({"reason": "NotFound"}, 404)
    with scripted({LIST: [missing, missing, listed(node("a"))], WATCH: [STAY]}) as (server, client):
        picture = Picture()
        with thread_of(Reflector(client, [NODES], picture, absent_seconds=0.001).run, client):
            wait_until(lambda: server.count(WATCH) == 1)

    assert (sorted(picture.found), picture.lists) == (["a"], 3)
    assert [record.message for record in caplog.records] == ["nodes is not served: no object of it counts, until it is"]


def test_an_object_that_is_not_digested_is_left_out_and_the_others_are_not(caplog: pytest.LogCaptureFixture) -> None:
    bad = Stream([event("MODIFIED", node("b", "11", bug="yes")), event("ADDED", node("d", "12"))])
    script: dict[str, list[Reply | Stream]] = {
        LIST: [listed(node("a"), node("b"), node("c", bug="yes"))],
        WATCH: [bad, STAY],
    }
    with scripted(script) as (server, client):
        picture = Picture()
        with thread_of(Reflector(client, [NODES], picture, backoff=quick()).run, client):
            wait_until(lambda: server.count(WATCH) == 2)

    assert (sorted(picture.found), picture.lists) == (["a", "d"], 1)
    assert [record.message for record in caplog.records] == [
        "bug about nodes 'c', which is left out",
        "bug about nodes 'b', which is left out",
    ]


def test_an_api_server_that_is_away_is_logged_once(caplog: pytest.LogCaptureFixture) -> None:
    away = Reply({"message": "not yet"}, 503)
    with (
        scripted({LIST: [away, away, away, listed()], WATCH: [STAY]}) as (server, client),
        thread_of(Reflector(client, [NODES], Picture(), backoff=quick()).run, client),
    ):
        wait_until(lambda: server.count(WATCH) == 1)

    assert [record.message for record in caplog.records] == ["GET /api/v1/nodes: 503: not yet"]


def test_of_several_versions_the_first_that_is_served_is_used() -> None:
    newer, older = (Resource("resource.k8s.io", version, "resourceslices") for version in ("v1", "v1beta1"))
    script: dict[str, list[Reply | Stream]] = {
        f"GET {older.path()}": [listed(node("a"))],
        f"WATCH {older.path()}": [STAY],
    }
    with scripted(script) as (server, client):
        picture = Picture()
        with thread_of(Reflector(client, [newer, older], picture).run, client):
            wait_until(lambda: server.count(f"WATCH {older.path()}") == 1)

    assert (sorted(picture.found), picture.lists) == (["a"], 1)
