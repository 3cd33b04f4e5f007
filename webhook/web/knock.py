"""Knocks at a TLS port, as a client would, and looks at the server's side of the handshake."""

import socket
import ssl
import time
from typing import Final

_ANYWHERE: Final = {"": ("127.0.0.1",), "0.0.0.0": ("127.0.0.1",), "::": ("127.0.0.1", "::1")}  # noqa: S104  # compared
_READ: Final = 16 * 1024


class Knocker:
    """Asks the TLS port at `address` (that of the listening socket) for a handshake.

    The handshake ends unfinished, once the server has proved that it holds the key of a certificate: so it also works
    where clients must show one. Which certificate it is and whether it is in time are questions of others.
    """

    def __init__(self, address: tuple[str, int]) -> None:
        host, self._port = address
        self._hosts = _ANYWHERE.get(host, (host,))
        self._context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        self._context.check_hostname = False
        self._context.verify_mode = ssl.CERT_NONE
        # Here the server speaks last but one, and so all it has to say comes before a client would show a certificate.
        self._context.minimum_version = ssl.TLSVersion.TLSv1_3

    def knock(self, *, seconds: float) -> bool:
        """Tell whether the port answers within `seconds`."""
        end = time.monotonic() + seconds
        return any(self._answers(host, end) for host in self._hosts)

    def _answers(self, host: str, end: float) -> bool:
        incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        client = self._context.wrap_bio(incoming, outgoing)
        try:
            with socket.create_connection((host, self._port), _left(end)) as connection:
                while True:
                    try:
                        client.do_handshake()
                    except ssl.SSLWantReadError:
                        connection.sendall(outgoing.read())
                        connection.settimeout(_left(end))
                        received = connection.recv(_READ)
                        if not received:
                            return False
                        incoming.write(received)
                    else:
                        return True
        except OSError:
            return False


def _left(end: float) -> float:
    return max(end - time.monotonic(), 0.001)
