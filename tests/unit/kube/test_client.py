"""The client: bytes through, and one kind of error for everything that goes wrong."""

import threading

import pytest
from kubernetes.client.configuration import Configuration
from scripted import Reply
from scripted import Stream
from scripted import scripted
from serving import wait_until

from webhook.kube.client import Ask
from webhook.kube.client import Client
from webhook.kube.error import KubeError

ASK = Ask(path="/thing")


def test_a_reply_is_answered_as_it_came() -> None:
    with scripted({"GET /thing": [Reply(b"\x00any bytes")]}) as (_, client):
        assert client.send(ASK) == b"\x00any bytes"


def test_lines_are_put_together_from_their_pieces() -> None:
    with scripted({"GET /thing": [Stream([b'{"a": 1}\n', b"\n", b"x" * 300_000 + b"\n", b"no end"])]}) as (_, client):
        assert list(client.lines(ASK)) == [b'{"a": 1}', b"x" * 300_000]


@pytest.mark.parametrize(
    ("reply", "text", "reason"),
    [
        (Reply({"message": "nodes is forbidden", "reason": "Forbidden"}, 403), "nodes is forbidden", "Forbidden"),
        (Reply(b"<html>\n</html>", 502), r"'<html>\n</html>'", ""),
        (Reply({}, 301), "'{}'", ""),
    ],
)
def test_a_refusal_is_an_error_with_its_status_and_message(reply: Reply, text: str, reason: str) -> None:
    with scripted({"GET /thing": [reply]}) as (_, client), pytest.raises(KubeError) as raised:
        client.send(ASK)

    assert (str(raised.value), raised.value.status) == (f"GET /thing: {reply.status}: {text}", reply.status)
    assert raised.value.reason == reason


def test_an_api_server_that_is_not_there_is_an_error_that_waiting_may_cure() -> None:
    with pytest.raises(KubeError) as raised:
        Client(Configuration(host="http://127.0.0.1:1")).send(ASK)

    assert (raised.value.status, raised.value.passing) == (0, True)
    assert str(raised.value).startswith("GET /thing: the API server cannot be reached: ")


def test_a_stream_that_breaks_is_an_error_too() -> None:
    with scripted({"GET /thing": [Stream([b"first\n"], then="break")]}) as (_, client):
        lines = client.lines(ASK)

        assert next(lines) == b"first"
        with pytest.raises(KubeError):
            next(lines)


def test_close_ends_a_stream_that_another_thread_reads() -> None:
    ended = threading.Event()
    begun = threading.Event()

    def read(client: Client) -> None:
        lines = client.lines(ASK)
        assert next(lines) == b"first"
        begun.set()
        with pytest.raises(KubeError):
            next(lines)
        ended.set()

    with scripted({"GET /thing": [Stream([b"first\n"], then="stay")]}) as (_, client):
        thread = threading.Thread(target=read, args=(client,))
        thread.start()
        wait_until(begun.is_set)
        client.close()
        wait_until(ended.is_set)
        thread.join()
        with pytest.raises(KubeError, match="not asked any more"):
            next(client.lines(ASK))
