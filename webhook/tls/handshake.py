"""What certificate does a server show?"""

import socket
import ssl
from typing import Final

SECONDS: Final = 5.0


def shown_by(host: str, port: int) -> bytes:
    """Answer the server's certificate as PEM, whoever issued it.

    Raises:
        OSError: nobody answers, or not with TLS.
    """
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    # The certificate is looked at, not trusted.
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    with (
        socket.create_connection((host, port), SECONDS) as connection,
        context.wrap_socket(connection, server_hostname=host) as secured,
    ):
        shown = secured.getpeercert(binary_form=True)
    return ssl.DER_cert_to_PEM_cert(shown).encode() if shown else b""
