"""The listeners: their sockets and settings."""

import socket

import pytest

from webhook.domain.errors import NumagateError
from webhook.web import listener


def test_a_free_port_is_opened_on_the_address_asked_for() -> None:
    with listener.bind("127.0.0.1", 0) as opened:
        assert opened.getsockname()[0] == "127.0.0.1"


def test_without_an_address_ipv4_clients_reach_it() -> None:
    with listener.bind("", 0) as opened, socket.create_connection(("127.0.0.1", opened.getsockname()[1]), 5) as client:
        assert client.getpeername()[0] == "127.0.0.1"


@pytest.mark.parametrize(("host", "port"), [("no such host.invalid", 0), ("192.0.2.1", 0)])
def test_an_address_that_cannot_be_used_is_one_line_with_a_remedy(host: str, port: int) -> None:
    with pytest.raises(NumagateError) as caught:
        listener.bind(host, port)

    assert str(caught.value).startswith(f"cannot listen on {host} port {port}: ")
    assert str(caught.value).endswith(": choose another with --bind or --port")


def test_a_port_that_is_taken_is_one_line() -> None:
    with (
        listener.bind("127.0.0.1", 0) as opened,
        pytest.raises(NumagateError, match=r"cannot listen on 127\.0\.0\.1 port"),
    ):
        listener.bind("127.0.0.1", opened.getsockname()[1])


def test_idle_connections_outlive_the_api_servers_and_nothing_is_told_about_the_server() -> None:
    async def app(*_: object) -> None: ...

    config = listener.configure(app, lifespan=False)

    assert config.timeout_keep_alive > 90
    assert (config.server_header, config.proxy_headers, config.ws, config.access_log) == (False, False, "none", False)
    assert config.timeout_graceful_shutdown
