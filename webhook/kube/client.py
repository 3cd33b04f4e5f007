"""A connection to the API server: bytes in, bytes out.

The `kubernetes` package knows how to configure, authenticate and connect; its models are left alone, because they make
many times the memory of an object out of it. A client may be used from several threads.
"""

import threading
from collections.abc import Iterator
from collections.abc import Mapping
from contextlib import contextmanager
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

import urllib3
from kubernetes.client.api_client import ApiClient
from kubernetes.client.configuration import Configuration
from kubernetes.client.exceptions import OpenApiException
from kubernetes.config import ConfigException

from webhook import __version__
from webhook.kube.error import KubeError
from webhook.kube.error import error_of

CONNECT_SECONDS: Final = 5.0
READ_SECONDS: Final = 30.0
CONNECTIONS: Final = 16
"""Each watch holds one for minutes."""

JSON: Final = "application/json"
MERGE_PATCH: Final = "application/merge-patch+json"
JSON_PATCH: Final = "application/json-patch+json"
STRATEGIC_PATCH: Final = "application/strategic-merge-patch+json"
APPLY_PATCH: Final = "application/apply-patch+yaml"

_GOOD: Final = range(200, 300)
_PIECE: Final = 64 * 1024
_FAILURES: Final = (OpenApiException, ConfigException, urllib3.exceptions.HTTPError, OSError, ValueError)
"""ValueError: a token that is no header value, a reply that is not HTTP, a socket closed while it is read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """One request to the API server; a silence of `seconds` ends it, and a reply of more than `most` bytes."""

    method: str = "GET"
    path: str
    query: Mapping[str, str] | None = None
    body: bytes | None = None
    content: str = JSON
    seconds: float = READ_SECONDS
    most: int | None = None

    def __str__(self) -> str:
        return f"{self.method} {self.path}"


class Client:
    """A client of one API server; `user` is its user agent, by which audit logs tell programs apart."""

    def __init__(self, configuration: Configuration, *, user: str = "numagate") -> None:
        # Whether and when to try again is decided above, by one kind of wait.
        configuration.retries = False
        configuration.keep_alive = True
        configuration.connection_pool_maxsize = CONNECTIONS
        self._api = ApiClient(configuration)
        self._api.user_agent = f"{user}/{__version__}"
        self._streams: set[urllib3.BaseHTTPResponse] = set()
        self._lock = threading.Lock()
        self._closed = False

    @property
    def server(self) -> str:
        """The address of the API server."""
        return str(self._api.configuration.host)

    def send(self, ask: Ask) -> bytes:
        """Send one request and answer the body of the reply.

        Raises:
            KubeError: it was refused, or nobody answered.
        """
        with self._open(ask) as reply:
            return _read(ask, reply)

    def headers(self, ask: Ask) -> Mapping[str, str]:
        """Send one request and answer the headers of the reply; their names are alike in any case.

        Raises:
            KubeError: it was refused, or nobody answered.
        """
        with self._open(ask) as reply:
            return reply.headers

    def lines(self, ask: Ask) -> Iterator[bytes]:
        """Send one request and yield the lines of the reply as they come.

        Raises:
            KubeError: it was refused, nobody answered, or the stream broke.
        """
        with self._open(ask) as reply, self._remembered(ask, reply):
            try:
                yield from _lines(reply)
            except _FAILURES as error:
                raise _unreachable(ask, error) from None

    def close(self) -> None:
        """End every stream, from any thread; whoever reads one, or asks for one from now on, gets an error."""
        with self._lock:
            self._closed = True
            for reply in self._streams:
                # It may have ended by itself in this moment.
                with suppress(ValueError, RuntimeError, OSError):
                    reply.shutdown()

    @contextmanager
    def _remembered(self, ask: Ask, reply: urllib3.BaseHTTPResponse) -> Iterator[None]:
        with self._lock:
            if self._closed:
                msg = f"{ask}: not asked any more"
                raise KubeError(msg)
            self._streams.add(reply)
        try:
            yield
        finally:
            with self._lock:
                self._streams.discard(reply)

    @contextmanager
    def _open(self, ask: Ask) -> Iterator[urllib3.BaseHTTPResponse]:
        reply = self._send(ask)
        try:
            if reply.status not in _GOOD:
                raise error_of(str(ask), reply.status, _read(ask, reply))
            yield reply
        finally:
            # A reply that was read to its end has given its connection back already; another one must not serve again.
            reply.close()
            reply.release_conn()

    def _send(self, ask: Ask) -> urllib3.BaseHTTPResponse:
        headers = {"Accept": JSON} if ask.body is None else {"Accept": JSON, "Content-Type": ask.content}
        try:
            _, url, headers, _, _ = self._api.param_serialize(
                ask.method,
                ask.path,
                query_params=list((ask.query or {}).items()),
                header_params=headers,
                auth_settings=["BearerToken"],
            )
            return self._api.rest_client.pool_manager.request(
                ask.method,
                url,
                headers=headers,
                body=ask.body,
                preload_content=False,
                redirect=False,
                timeout=urllib3.Timeout(connect=CONNECT_SECONDS, read=ask.seconds),
            )
        except _FAILURES as error:
            raise _unreachable(ask, error) from None


def _lines(reply: urllib3.BaseHTTPResponse) -> Iterator[bytes]:
    rest = bytearray()
    for piece in reply.stream(_PIECE):
        start = len(rest)
        rest += piece
        # What was there before holds no line end: an object of many pieces is not searched again and again.
        while (end := rest.find(b"\n", start)) >= 0:
            line = bytes(rest[:end])
            del rest[: end + 1]
            start = 0
            if line:
                yield line


def _read(ask: Ask, reply: urllib3.BaseHTTPResponse) -> bytes:
    try:
        body = reply.read(None if ask.most is None else ask.most + 1)
    except _FAILURES as error:
        raise _unreachable(ask, error) from None
    if ask.most is not None and len(body) > ask.most:
        msg = f"{ask}: the reply is larger than {ask.most} bytes"
        raise KubeError(msg)
    return body


def _unreachable(ask: Ask, error: Exception) -> KubeError:
    return KubeError(f"{ask}: the API server cannot be reached: {type(error).__name__}: {error}")
