"""An API server that plays a script: for tests of what the real one does too seldom, or not at a test's wish."""

import json
import threading
from collections.abc import Iterator
from collections.abc import Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from dataclasses import field
from http.server import BaseHTTPRequestHandler
from http.server import ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl
from urllib.parse import urlsplit

from kubernetes.client.configuration import Configuration

from webhook.kube.client import Client


@dataclass(frozen=True)
class Asked:
    """A request as it arrived."""

    method: str
    path: str
    query: dict[str, str]
    body: Any

    @property
    def key(self) -> str:
        """What the script knows it by: "GET /api/v1/nodes", "WATCH /api/v1/nodes"."""
        return f"{'WATCH' if self.query.get('watch') else self.method} {self.path}"


@dataclass(frozen=True)
class Reply:
    """A reply in one piece."""

    body: object = field(default_factory=dict)
    status: int = 200


@dataclass(frozen=True)
class Stream:
    """The events of a watch; then it ends, breaks off, or stays open until the server stops."""

    events: Sequence[object] = ()
    then: str = "end"


class ScriptedServer:
    """Plays, for each kind of request, one reply after the other; the last one is played again and again."""

    def __init__(self, script: dict[str, list[Reply | Stream]]) -> None:
        self.script = script
        self.asked: list[Asked] = []
        self.over = threading.Event()
        self._played: dict[str, int] = {}
        self._lock = threading.Lock()

    def count(self, key: str) -> int:
        """Answer how often this was asked."""
        with self._lock:
            return sum(asked.key == key for asked in self.asked)

    def next(self, asked: Asked) -> Reply | Stream:
        """Note the request and answer its reply; what the script does not know is not found."""
        with self._lock:
            self.asked.append(asked)
            replies = self.script.get(asked.key, [Reply({"message": "not found", "reason": "NotFound"}, 404)])
            turn = self._played.get(asked.key, 0)
            self._played[asked.key] = turn + 1
            return replies[min(turn, len(replies) - 1)]


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    scripted: ScriptedServer

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - as the base class names it
        """Say nothing."""

    def _serve(self) -> None:
        parts = urlsplit(self.path)
        raw = self.rfile.read(int(self.headers.get("content-length") or 0))
        asked = Asked(self.command, parts.path, dict(parse_qsl(parts.query)), json.loads(raw) if raw else None)
        reply = self.scripted.next(asked)
        if isinstance(reply, Stream):
            self._stream(reply)
        else:
            body = reply.body if isinstance(reply.body, bytes) else json.dumps(reply.body).encode()
            self.send_response(reply.status)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    def _stream(self, stream: Stream) -> None:
        self.send_response(200)
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        for event in stream.events:
            line = event if isinstance(event, bytes) else json.dumps(event).encode() + b"\n"
            half = len(line) // 2  # a line may come in pieces
            for piece in filter(None, (line[:half], line[half:])):
                self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
                self.wfile.flush()
        if stream.then == "stay":
            self.scripted.over.wait(30)
        if stream.then != "break":
            self.wfile.write(b"0\r\n\r\n")
        self.close_connection = True

    do_GET = do_PUT = do_PATCH = do_POST = _serve  # noqa: N815 - as the base class names them


@contextmanager
def scripted(script: dict[str, list[Reply | Stream]]) -> Iterator[tuple[ScriptedServer, Client]]:
    """Run a server with this script, and answer it with a client for it."""
    played = ScriptedServer(script)
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (_Handler,), {"scripted": played}))
    server.daemon_threads = True
    thread = threading.Thread(target=lambda: server.serve_forever(0.01))
    thread.start()
    client = Client(Configuration(host=f"http://127.0.0.1:{server.server_address[1]}"))
    try:
        yield played, client
    finally:
        client.close()
        played.over.set()
        server.shutdown()
        thread.join(10)
        server.server_close()


@contextmanager
def thread_of(run: Any, client: Client) -> Iterator[threading.Event]:
    """Run `run(stop)` in a thread for the time of the `with` block; it must end when told to."""
    stop = threading.Event()
    thread = threading.Thread(target=run, args=(stop,))
    thread.start()
    try:
        yield stop
    finally:
        stop.set()
        client.close()
        thread.join(10)
        assert not thread.is_alive()


def node(name: str, version: str = "1", **labels: str) -> dict[str, Any]:
    """Build a Node."""
    return {"metadata": {"name": name, "resourceVersion": version, "labels": labels}}


def listed(*items: object, version: str = "10", more: str = "") -> Reply:
    """Build the reply to a list."""
    return Reply({"metadata": {"resourceVersion": version, "continue": more}, "items": list(items)})


def event(kind: str, found: object) -> dict[str, object]:
    """Build an event of a watch."""
    return {"type": kind, "object": found}


GONE = event("ERROR", {"kind": "Status", "code": 410, "reason": "Expired", "message": "too old resource version"})
