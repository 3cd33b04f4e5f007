"""The TLS context of the server, with a certificate that changes while connections come in.

A certificate is never loaded into a context in use: that breaks handshakes, and a failed load leaves it dead. Instead a
fresh context is built, checked, and handed to each new handshake from then on.
"""

import ssl
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from datetime import timedelta
from pathlib import Path

from webhook.tls.chain import as_pem
from webhook.tls.chain import read_all
from webhook.tls.client_authorities import ClientAuthorities
from webhook.tls.pair import CertificateError
from webhook.tls.pair import check_valid
from webhook.tls.source import Folder
from webhook.tls.source import Source

_CIPHERS = "ECDHE+AESGCM:ECDHE+CHACHA20"
"""For TLS 1.2: forward secret and authenticated. TLS 1.3 has no other."""


@dataclass(frozen=True, slots=True)
class Served:
    """A certificate that passed every check, in a context that is ready to serve it."""

    context: ssl.SSLContext
    names: frozenset[str]
    serial: int
    not_after: datetime
    lifetime: timedelta = timedelta()
    shown: bytes = b""
    """What a client gets to see: the certificates of the file, as PEM."""
    clients: ClientAuthorities | None = None
    """Whose certificate a client must show; None where none is asked for."""


class CertificateStore:
    """The certificate that the server serves, and where it comes from: a folder of files, or another source."""

    def __init__(
        self,
        source: Path | Source,
        *,
        minimum: ssl.TLSVersion = ssl.TLSVersion.TLSv1_2,
        clock: Callable[[], datetime],
        clients: ClientAuthorities | None = None,
    ) -> None:
        """Load the first certificate; with `clients`, a client without a certificate of theirs is refused.

        Raises:
            CertificateError: it cannot be served.
        """
        self._source = Folder(source) if isinstance(source, Path) else source
        self._minimum = minimum
        self._clock = clock
        self._served: Served | None = None
        served = self.load(clients)
        self._served = served
        # Handshakes start in this context. Its own certificate is only used until the callback has chosen another.
        self.context = served.context
        self.context.sni_callback = self._choose

    @property
    def served(self) -> Served:
        """What new handshakes get."""
        assert self._served is not None  # noqa: S101  # set by __init__, for the type checker
        return self._served

    def look(self) -> tuple[str, ...]:
        """Answer what is there now, as hashes: another answer is worth a `load`."""
        return self._source.look()

    def load(self, clients: ClientAuthorities | None = None) -> Served:
        """Build and check a context from what is there now; what is served stays as it is.

        `clients` are new CAs of clients; without them, those in force stay.

        Raises:
            CertificateError: it cannot be served.
        """
        with self._source.opened() as found:
            certificate, name = found.pair.certificate, found.name
            check_valid(certificate, name, self._clock())
            if self._served is not None and found.pair.names.isdisjoint(self._served.names):
                msg = f"{name} is for other names than the certificate served: issue it for the same Service"
                raise CertificateError(msg)
            context = _build_context(found.certificate_path, found.key_path, name, self._minimum)
        clients = clients or (self._served.clients if self._served is not None else None)
        if clients is not None:
            clients.demand(context)
        return Served(
            context,
            found.pair.names,
            certificate.serial_number,
            certificate.not_valid_after_utc,
            lifetime=certificate.not_valid_after_utc - certificate.not_valid_before_utc,
            shown=as_pem(read_all(found.pair.certificate_pem)),
            clients=clients,
        )

    def swap(self, served: Served) -> None:
        """Serve `served` to every handshake from now on; call it on the event loop's thread."""
        self._served = served

    def _choose(self, connection: ssl.SSLObject, _name: str | None, _context: ssl.SSLContext) -> None:
        # Called once for each handshake, even without SNI.
        connection.context = self.served.context


def _build_context(certificate: Path, key: Path, name: str, minimum: ssl.TLSVersion) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = minimum
    context.set_ciphers(_CIPHERS)
    context.options |= ssl.OP_NO_COMPRESSION | ssl.OP_NO_RENEGOTIATION | ssl.OP_NO_TICKET
    # The API server keeps no sessions, so tickets would be work for nothing.
    context.num_tickets = 0
    context.set_alpn_protocols(["http/1.1"])
    try:
        context.load_cert_chain(certificate, key)
    except (ssl.SSLError, OSError) as error:
        msg = f"{name} and its key cannot be loaded: {error}"
        raise CertificateError(msg) from error
    return context
