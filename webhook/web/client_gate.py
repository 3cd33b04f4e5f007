"""Lets in the clients whose certificate names somebody who may call, and counts and logs the others.

A certificate that is missing, of another CA or out of date ends the handshake, before a byte of HTTP is read. The name
is judged after it, because there a client can be told what is wrong: a 403 that the API server passes on.
"""

import logging
import ssl
from collections.abc import Iterator
from collections.abc import Mapping

from starlette.types import ASGIApp
from starlette.types import Receive
from starlette.types import Scope
from starlette.types import Send

from webhook.tls.refusal import Refusal
from webhook.web import logs
from webhook.web import status
from webhook.web.client_metrics import ClientMetrics

Peer = Mapping[str, object]
"""A client's certificate as `ssl.SSLObject.getpeercert` describes it."""

_LOGGER = logging.getLogger("numagate.clients")

_FORBIDDEN = 403
_REMEDY = "name it with --client-name, or give the API server a certificate of a name that may call"
_MESSAGES = {
    Refusal.MISSING: "a client without a certificate was refused: does the API server's kubeconfig name this Service?",
    Refusal.UNTRUSTED: "a client certificate was refused: not of the client CA, or not for clients",
    Refusal.EXPIRED: "a client certificate was refused: it has ended or not begun",
    Refusal.NAME: f"a client certificate was refused: its name may not call; {_REMEDY}",
}


class ClientGate:
    """Judges the names of clients; `names` are common names and DNS names, compared as they are."""

    def __init__(self, names: tuple[str, ...], metrics: ClientMetrics) -> None:
        self._names = frozenset(names)
        self._metrics = metrics
        self._told: set[Refusal] = set()

    def refuse(self, reason: Refusal) -> None:
        """Count a refusal, and log the first of its reason: anybody can cause thousands."""
        self._metrics.refused(reason)
        if reason not in self._told:
            self._told.add(reason)
            _LOGGER.warning(_MESSAGES[reason], extra=logs.fields({logs.REASON: reason.value}))

    def again(self) -> None:
        """Log the first refusal of each reason once more, since other CAs are in force."""
        self._told.clear()

    def guard(self, app: ASGIApp) -> ASGIApp:
        """Answer an application that is `app` for clients who may call, and 403 for the others."""

        async def guarded(scope: Scope, receive: Receive, send: Send) -> None:
            if scope["type"] == "http" and not self._admits(scope["state"].get("peer")):
                await _forbid(send)
            else:
                await app(scope, receive, send)

        return guarded

    def _admits(self, peer: Peer | None) -> bool:
        if not peer or self._names.isdisjoint(_names(peer)):
            self.refuse(Refusal.NAME)
            return False
        self._metrics.accepted(ssl.cert_time_to_seconds(str(peer["notAfter"])))
        return True


def _names(peer: Peer) -> Iterator[str]:
    subject = peer.get("subject", ())
    alternatives = peer.get("subjectAltName", ())
    assert isinstance(subject, tuple)  # noqa: S101  # as the ssl module has it, for the type checker
    assert isinstance(alternatives, tuple)  # noqa: S101
    yield from (value for part in subject for key, value in part if key == "commonName")
    yield from (value for kind, value in alternatives if kind == "DNS")


async def _forbid(send: Send) -> None:
    content = status.body(_FORBIDDEN, f"the name of the client certificate may not call numagate: {_REMEDY}")
    headers = [*status.headers(_FORBIDDEN, content), (b"connection", b"close")]
    await send({"type": "http.response.start", "status": _FORBIDDEN, "headers": headers})
    await send({"type": "http.response.body", "body": content})
