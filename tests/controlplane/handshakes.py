"""A program that shakes hands with a server again and again until its standard input ends; it prints what it saw."""

import hashlib
import json
import select
import socket
import ssl
import sys
from collections import Counter


def main() -> None:
    """Run; the arguments are a port of loopback and the file of the CA to trust."""
    port, ca = int(sys.argv[1]), sys.argv[2]
    trust = ssl.create_default_context(cafile=ca)
    seen: Counter[str] = Counter()
    errors: Counter[str] = Counter()
    while not select.select([sys.stdin], [], [], 0)[0]:
        try:
            with (
                socket.create_connection(("127.0.0.1", port), 10) as plain,
                trust.wrap_socket(plain, server_hostname="127.0.0.1") as connection,
            ):
                # As Go does: a request must not wait for the acknowledgement of the handshake's last bytes.
                connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                # A whole exchange: with TLS 1.3 a client that only shook hands does not know yet whether it is liked.
                connection.sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
                if not connection.recv(100).startswith(b"HTTP/1.1 200 "):
                    errors["no answer"] += 1
                seen[hashlib.sha256(connection.getpeercert(binary_form=True) or b"").hexdigest()] += 1
        except OSError as error:
            errors[repr(error)] += 1
    print(json.dumps({"seen": seen, "errors": errors}))  # noqa: T201


if __name__ == "__main__":
    main()
