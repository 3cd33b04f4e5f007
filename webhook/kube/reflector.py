"""Keeps a picture of all objects of a kind: lists once, watches from there, and lists again where that is lost.

The rules are those of client-go's Reflector, for they are what API servers are tuned to:

- A list is consistent and read in pages; a watch goes on from its resource version.
- Bookmarks move the resource version on, so that a quiet watch can be resumed.
- A watch that ends in good order is resumed at once, and so is one that an unreachable or overloaded API server ends,
  after a wait. Everything else, above all 410 Gone, means to list again, after a wait.
- The waits grow exponentially, with chance in them (`backoff`).

Unlike there, a kind that the API server does not know (a CRD that is not installed) is no error: there are no objects
of it, and one looks again every minute. A kind may be given in several versions: the first that is served is used.
"""

import logging
import threading
from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from typing import Final
from typing import Protocol

from webhook.domain.raw import JsonObject
from webhook.kube.backoff import Backoff
from webhook.kube.client import Client
from webhook.kube.error import TOO_MANY
from webhook.kube.error import KubeError
from webhook.kube.listing import PAGE
from webhook.kube.listing import key_of
from webhook.kube.listing import pages
from webhook.kube.once import Once
from webhook.kube.resource import Resource
from webhook.kube.watching import BOOKMARK
from webhook.kube.watching import DELETED
from webhook.kube.watching import watch

ABSENT_SECONDS: Final = 60.0

_LOGGER = logging.getLogger("numagate.watch")


class Sink(Protocol):
    """Who wants to know. Called on the reflector's thread; an object must be reduced at once and let go."""

    def put(self, key: str, found: JsonObject) -> None:
        """Take an object that is new, or has changed, or has only been listed again."""

    def drop(self, key: str) -> None:
        """Forget an object that was deleted."""

    def keep(self, keys: AbstractSet[str]) -> None:
        """Forget all but these: a list has come to its end, and the picture is whole."""


def read_all(
    client: Client,
    versions: Sequence[Resource],
    sink: Sink,
    *,
    limit: int = PAGE,
    fields: str = "",
    cached: bool = False,
) -> tuple[Resource, str]:
    """List a kind into `sink`, in the first of its versions that is served; answer that and the resource version.

    The field selector `fields` selects objects; a `cached` list is what an API server remembers (see `listing.page`).

    Raises:
        KubeError: `absent` where no version is served.
    """
    absent: KubeError | None = None
    for resource in versions:
        try:
            listed = pages(client, resource.path(), limit=limit, fields=fields, cached=cached)
            return resource, _read_version(listed, resource, sink)
        except KubeError as error:
            if not error.absent:
                raise
            absent = error
    assert absent is not None  # noqa: S101  # there is at least one version
    raise absent


def _read_version(listed: Iterable[tuple[list[JsonObject], str]], resource: Resource, sink: Sink) -> str:
    keys: set[str] = set()
    version = ""
    for found, common in listed:
        version = common
        while found:
            one = found.pop()
            keys.add(key := key_of(one))
            put(sink, key, one, resource)
    sink.keep(keys)
    return version


def put(sink: Sink, key: str, found: JsonObject, resource: Resource) -> None:
    """Hand over an object; one that the sink cannot digest is left out, and told."""
    try:
        sink.put(key, found)
    except Exception:
        # The edge towards what others write: a bug about one object must not blind us for all others.
        _LOGGER.exception("bug about %s %s, which is left out", resource, ascii(key))
        sink.drop(key)


class Reflector:
    """Watches one kind, or what the field selector `fields` selects of it, from a list that may be `cached`.

    `on_restart` hears of every time that a watch had to be begun anew by a list.
    """

    def __init__(
        self,
        client: Client,
        versions: Sequence[Resource],
        sink: Sink,
        *,
        fields: str = "",
        cached: bool = False,
        on_restart: Callable[[], None] = lambda: None,
        backoff: Backoff | None = None,
        absent_seconds: float = ABSENT_SECONDS,
        page: int = PAGE,
    ) -> None:
        self._client = client
        self._versions = tuple(versions)
        self._resource = self._versions[0]
        self._sink = sink
        self._fields = fields
        self._cached = cached
        self._on_restart = on_restart
        self._backoff = backoff or Backoff()
        self._absent_seconds = absent_seconds
        self._page = page
        self._once = Once(_LOGGER)

    def run(self, stop: threading.Event) -> None:
        """List and watch until `stop` is set and the client closed."""
        while not stop.is_set():
            wait = 0.0
            try:
                self._follow(self._list(), stop)
            except KubeError as error:
                if not stop.is_set():
                    wait = self._fail(error)
            except Exception:
                # The edge of the thread, which nobody would start again.
                _LOGGER.exception("bug while watching %s", self._resource)
            if not stop.wait(wait or self._backoff.next()):
                self._on_restart()

    def _fail(self, error: KubeError) -> float:
        if error.absent:
            self._sink.keep(frozenset())
            self._once.warn(f"{self._resource} is not served: no object of it counts, until it is")
            return self._absent_seconds
        if not error.expired:
            self._once.warn(str(error))
        return 0.0

    def _list(self) -> str:
        self._resource, version = read_all(
            self._client, self._versions, self._sink, limit=self._page, fields=self._fields, cached=self._cached
        )
        self._once.again()
        return version

    def _follow(self, version: str, stop: threading.Event) -> None:
        while not stop.is_set():
            before = version
            try:
                for event in watch(self._client, self._resource.path(), version=version, fields=self._fields):
                    version = event.version or version
                    if event.kind == DELETED:
                        self._sink.drop(key_of(event.object))
                    elif event.kind != BOOKMARK:
                        put(self._sink, key_of(event.object), event.object, self._resource)
            except KubeError as error:
                if error.status not in {0, TOO_MANY} or stop.is_set():
                    raise
                self._once.warn(str(error))
                stop.wait(self._backoff.next())
            else:
                # A watch that ends without a word may be one that somebody in between ends at once, again and again.
                if version == before:
                    stop.wait(self._backoff.next())
