"""The end of a connection: what a client has sent by then is answered."""

import asyncio
import socket

import pytest
from starlette.types import Receive
from starlette.types import Scope
from starlette.types import Send

from webhook.web import listener

REQUEST = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"


async def greet(_scope: Scope, receive: Receive, send: Send) -> None:
    """Answer anything."""
    await receive()
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"2")]})
    await send({"type": "http.response.body", "body": b"hi"})


async def answer_at_the_end(*sent: bytes) -> bytes:
    """Exchange a request, let the client send more, end the connection before that is seen; answer what comes back."""
    server = listener.Listener(listener.configure(greet, lifespan=False))
    server.config.load()
    server.lifespan = server.config.lifespan_class(server.config)
    loop = asyncio.get_running_loop()
    made = server._protocol()  # noqa: SLF001
    opened = await loop.create_server(lambda: made, "127.0.0.1", 0)
    with socket.create_connection(opened.sockets[0].getsockname(), 10) as client:
        client.setblocking(False)
        await loop.sock_sendall(client, REQUEST)
        first = await loop.sock_recv(client, 1000)
        assert first.startswith(b"HTTP/1.1 200 ")
        # From here to the end of the connection the loop does not turn.
        for part in sent:
            client.send(part)
        made.shutdown()
        found = await asyncio.wait_for(loop.sock_recv(client, 1000), 10)
    opened.close()
    return found


@pytest.mark.parametrize(("sent", "status"), [((), b""), ((REQUEST,), b"HTTP/1.1 200 ")])
def test_a_request_that_the_loop_has_not_seen_yet_is_answered(sent: tuple[bytes, ...], status: bytes) -> None:
    assert asyncio.run(answer_at_the_end(*sent))[:13] == status
