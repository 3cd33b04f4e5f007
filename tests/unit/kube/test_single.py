"""The watch of one object: get and watch of its name only, and no content missed."""

from scripted import GONE
from scripted import Reply
from scripted import Stream
from scripted import event
from scripted import scripted
from scripted import thread_of
from serving import wait_until

from webhook.domain.raw import JsonObject
from webhook.kube.apply import CONFIG_MAPS
from webhook.kube.backoff import Backoff
from webhook.kube.error import KubeError
from webhook.kube.single import ObjectWatch

GET = "GET /api/v1/namespaces/ours/configmaps/world"
WATCH = "WATCH /api/v1/namespaces/ours/configmaps"
STAY = Stream(then="stay")


def world(version: str) -> dict[str, object]:
    """Build the object in one of its versions."""
    return {"metadata": {"name": "world", "namespace": "ours", "resourceVersion": version}, "data": {"is": version}}


class Seen:
    """Keeps what it is told."""

    def __init__(self) -> None:
        self.contents: list[object] = []
        self.errors: list[KubeError] = []

    def receive(self, found: JsonObject | None) -> None:
        """Take a content."""
        self.contents.append(found["data"] if found else None)

    def run(self, script: dict[str, list[Reply | Stream]], *, watches: int) -> list[dict[str, str]]:
        """Watch until the script was asked for so many watches; answer their queries."""
        with scripted(script) as (server, client):
            watch = ObjectWatch(
                client,
                CONFIG_MAPS,
                namespace="ours",
                name="world",
                receive=self.receive,
                fail=self.errors.append,
                backoff=Backoff(first=0.001, most=0.002),
            )
            with thread_of(watch.run, client):
                wait_until(lambda: server.count(WATCH) == watches)
            return [asked.query for asked in server.asked if asked.key == WATCH]


def test_the_object_is_read_and_then_watched_by_its_name() -> None:
    seen = Seen()
    (query,) = seen.run({GET: [Reply(world("5"))], WATCH: [STAY]}, watches=1)

    assert seen.contents == [{"is": "5"}]
    assert (query["fieldSelector"], query["resourceVersion"]) == ("metadata.name=world", "5")


def test_changes_arrive_and_bookmarks_are_none() -> None:
    changes = [event("MODIFIED", world("6")), event("BOOKMARK", world("7")), event("DELETED", world("8"))]
    seen = Seen()
    seen.run({GET: [Reply(world("5")), Reply(world("9"))], WATCH: [Stream(changes), STAY]}, watches=2)

    assert seen.contents == [{"is": "5"}, {"is": "6"}, None, {"is": "9"}]
    assert seen.errors == []


def test_an_object_that_is_not_there_is_watched_for_from_the_state_as_it_is() -> None:
    seen = Seen()
    queries = seen.run({WATCH: [Stream([event("ADDED", world("6"))]), STAY]}, watches=2)

    assert seen.contents[:2] == [None, {"is": "6"}]
    assert "resourceVersion" not in queries[0]


def test_after_an_error_the_object_is_read_again() -> None:
    seen = Seen()
    script: dict[str, list[Reply | Stream]] = {
        GET: [Reply({"message": "not yet"}, 503), Reply(world("5")), Reply(world("6"))],
        WATCH: [Stream([GONE]), STAY],
    }
    seen.run(script, watches=2)

    assert seen.contents == [{"is": "5"}, {"is": "6"}]
    assert [error.status for error in seen.errors] == [503, 410]
