"""The HTTP client against real local servers: deadlines, sizes, redirects, retries, keys."""

from __future__ import annotations

import gzip
import socket
import threading
import time
import tracemalloc
from contextlib import closing, contextmanager, suppress

import pytest

from tests.readers.servers import Answer, closed_port, serving
from vdebench.net.errors import RequestError
from vdebench.net.keys import Secret
from vdebench.net.retries import RetryPolicy

pytest.importorskip("httpx2")
from vdebench.net.http import MAX_BYTES, HttpClient

KEY = Secret("sk-planted-0123456789")


def client(**options):
    return closing(HttpClient(**{"timeout": 5.0, "key": KEY, "headers": KEY.bearer, **options}))


def failure(url, **options):
    with client(**options) as made, pytest.raises(RequestError) as caught:
        made.request("POST", url, json={"secret": "page"})
    assert "sk-plant" not in f"{caught.value}{caught.value.reason}{caught.value.__cause__!r}"
    return caught.value


@contextmanager
def raw_server(send):
    """A socket that takes one connection and lets `send` answer it."""
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def answer():
            connection, _ = listener.accept()
            with connection, suppress(OSError):  # the client may leave
                connection.recv(65536)
                send(connection)

        thread = threading.Thread(target=answer, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        thread.join(10)


def test_an_answer_that_grows_when_decompressed_is_cut_off_before_it_fills_memory():
    bomb = gzip.compress(bytes(1 << 30), 9)  # a megabyte that stands for a gigabyte
    assert len(bomb) < 2_000_000
    with serving(Answer(bomb, headers={"Content-Encoding": "gzip"})) as server:
        tracemalloc.start()
        error = failure(server.url, timeout=60.0)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    assert error.kind == "too_long"
    assert f"more than {MAX_BYTES:,} bytes" in error.reason
    assert peak < 3 * MAX_BYTES  # the limit, a copy while the buffer grows, and some pieces of a megabyte


def test_a_compressed_answer_within_the_limit_is_read():
    with (
        serving(Answer(gzip.compress(b'{"a": 1}'), headers={"Content-Encoding": "gzip"})) as server,
        client() as made,
    ):
        assert made.request("POST", server.url, json={}).json() == {"a": 1}


def test_what_cannot_be_decompressed_is_an_error():
    with serving(Answer(b"not gzip at all", headers={"Content-Encoding": "gzip"})) as server:
        assert "cannot be decompressed" in failure(server.url).reason


def test_the_deadline_holds_for_headers_that_dribble():
    def dribble(connection):
        connection.sendall(b"HTTP/1.1 200 OK\r\n")
        for number in range(100):
            connection.sendall(f"X-{number}: 1\r\n".encode())
            time.sleep(0.1)

    start = time.monotonic()
    with raw_server(dribble) as url:
        error = failure(url, timeout=0.5)
        assert time.monotonic() - start < 2
    assert (error.kind, error.lost, error.retryable) == ("timeout", True, True)
    assert "no answer in 0.5 seconds" in error.reason


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_nothing_is_sent_to_another_host(status):
    with serving(Answer({})) as other:
        target = f"{other.url}/v1?key=hush"
        with serving(Answer({}, status, {"Location": target})) as server:
            error = failure(server.url)
        assert other.requests == []
    assert (error.kind, error.fatal) == ("redirect", True)
    assert f"HTTP {status}: redirects to {other.url}/v1" in error.reason
    assert "hush" not in str(error)


def test_a_redirect_on_the_same_host_is_followed_a_few_times():
    with serving(Answer({}, 307, {"Location": "/v1/"}), Answer({"a": 1})) as server, client() as made:
        assert made.request("POST", f"{server.url}/v1", json={"b": 2}).json() == {"a": 1}
    assert [(request.path, request.body) for request in server.requests] == [("/v1", {"b": 2}), ("/v1/", {"b": 2})]
    with serving(Answer({}, 307, {"Location": "/v1"})) as server:
        assert failure(f"{server.url}/v1").kind == "redirect"
    assert len(server.requests) == 5


@pytest.mark.parametrize("status", [200, 400, 401, 500])
def test_a_key_that_a_server_repeats_is_in_no_message(status):
    told = {"error": {"message": f"{'x' * 290}{KEY.reveal()} is wrong", "code": KEY.reveal()}, "list": [KEY.reveal()]}
    with serving(Answer(told, status, {"X-Echo": KEY.reveal()})) as server, client() as made:
        if status == 200:
            reply = made.request("POST", server.url, json={})
            assert "sk-plant" not in f"{reply.text}{reply.json()}"
            assert reply.json()["list"] == ["[key]"]
        else:
            assert "[key]" in str(failure(server.url))
    assert server.requests[0].headers["authorization"] == f"Bearer {KEY.reveal()}"


def test_attempts_are_bounded_and_their_number_is_told():
    with serving(Answer({"error": "busy"}, 503)) as server:
        error = failure(server.url, retries=RetryPolicy(tries=3, pause=0.01))
    assert len(server.requests) == 3
    assert error.reason == "HTTP 503: busy (tried 3 times)"
    assert not error.retryable


def test_a_timeout_is_not_tried_again_by_default():
    with serving(Answer({}, wait=2)) as server:
        failure(server.url, timeout=0.3, retries=RetryPolicy(pause=0.01))
    assert len(server.requests) == 1


def test_a_pause_longer_than_the_time_left_is_not_waited_for():
    start = time.monotonic()
    with serving(Answer({}, 429, {"Retry-After": "30"})) as server:
        error = failure(server.url, timeout=2.0, retries=RetryPolicy())
    assert time.monotonic() - start < 1.5
    assert "tried once; the server asks for a pause of 30 s" in error.reason
    assert (error.state, error.status) == ("rate_limited", 429)


def test_a_closed_client_and_nobody_there():
    made = HttpClient(5.0)
    made.close()
    made.close()
    with pytest.raises(RequestError, match="was closed"):
        made.request("GET", "http://127.0.0.1:1/")
    error = failure(f"http://127.0.0.1:{closed_port()}")
    assert (error.kind, error.lost) == ("connection", False)
    assert error.reason == "no connection: Connection refused"


def test_closing_ends_a_request_under_way():
    with serving(Answer({}, wait=3)) as server:
        made = HttpClient(30.0)
        caught = []

        def ask():
            try:
                made.request("POST", server.url, json={})
            except RequestError as error:
                caught.append(error.kind)

        thread = threading.Thread(target=ask)
        thread.start()
        while not server.requests:
            time.sleep(0.01)
        made.close()
        thread.join(2)
    assert caught == ["closed"]
