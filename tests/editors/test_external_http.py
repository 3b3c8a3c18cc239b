"""The external protocol over HTTP, with the shim's server and a misbehaving one."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import numpy as np
import pytest

from tests.readers.servers import Answer, serving
from vdebench.editors.external.editor import ExternalEditor
from vdebench.errors import EditorError, EditorUnusableError

pytest.importorskip("httpx2")
PAGE = np.full((20, 30, 3), 250, np.uint8)
HELLO = {"name": "odd", "version": "1", "model": "m", "protocol": 1}


@pytest.fixture
def shim():
    """The address of a program that serves HTTP, and its process."""
    file = Path(__file__).parent / "programs/inverting.py"
    process = subprocess.Popen([sys.executable, str(file), "--port", "0"], stderr=subprocess.PIPE, text=True)
    address = process.stderr.readline().split()[-1]
    yield address, process
    process.kill()
    process.wait()
    process.stderr.close()


@pytest.fixture
def odd():
    """A server that answers as it is told: (status, body) by path."""
    answers = {"/hello": (200, {"hello": HELLO})}
    released = threading.Event()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            status, body = answers[self.path]
            if body == "hang":
                released.wait(5)
                return
            content = body if isinstance(body, bytes) else json.dumps(body).encode()
            self.send_response(status)
            self.end_headers()
            self.wfile.write(content)

        def do_POST(self):
            request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            if isinstance(answers["/edit"][1], dict):
                answers["/edit"][1].setdefault("id", request["id"])
            self.do_GET()

        def log_message(self, *_):
            pass

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}", answers
        released.set()
        server.shutdown()
        thread.join()


def test_the_shims_server(shim):
    address, process = shim
    editor = ExternalEditor(url=address, timeout=10)
    assert editor.identity["model"] == "tests/inverting"
    made = editor.edit(PAGE, "invert", seed=3)
    assert (made.image[:, :15] == 5).all()
    assert (made.image[:, 15:] == 250).all()
    assert made.metadata["seed"] == 3
    assert editor.edit(PAGE, "refuse").reason == "I would rather not"
    with pytest.raises(EditorError, match="ValueError: cannot do that"):
        editor.edit(PAGE, "fail")
    with pytest.raises(EditorError, match=r"the connection broke|no connection"):
        editor.edit(PAGE, "die")
    process.wait()
    with pytest.raises(EditorError, match=r"no connection: Connection refused\n  is the server running"):
        editor.edit(PAGE, "invert")


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        ((500, b"CUDA out of memory"), "/edit: HTTP 500: CUDA out of memory"),
        ((200, b"<html>"), "expected a JSON object, found '<html>'"),
        ((200, {"id": "9", "state": "edited"}), "answered request '9'"),
        ((200, {"state": "edited"}), "sent no image"),
        ((200, {"state": "edited", "png": "%%"}), "is not base64"),
        ((200, {"state": "edited", "png": "AAAA"}), "is no image we know"),
        ((200, "hang"), r"/edit: no answer in 0\.4 seconds"),
    ],
)
def test_servers_that_misbehave(odd, answer, told):
    url, answers = odd
    answers["/edit"] = answer
    limit = 0.2 if answer[1] == "hang" else 10
    with pytest.raises(EditorError, match=told):
        ExternalEditor(url=url, timeout=limit, start_timeout=limit).edit(PAGE, "x")


def test_a_server_that_is_another_now_is_refused(odd):
    url, answers = odd
    answers["/edit"] = (200, {"state": "refused", "reason": "no"})
    editor = ExternalEditor(url=url)
    assert editor.identity["url"] == url  # it tells no parameters
    assert editor.edit(PAGE, "x").reason == "no"
    answers["/hello"] = (200, {"hello": {**HELLO, "model": "m2"}})
    with pytest.raises(EditorUnusableError, match=r"model='m'.*model='m2'"):
        editor.edit(PAGE, "x")


def test_pages_are_not_sent_to_another_host(odd):
    url, answers = odd

    with serving(Answer({})) as other, serving(Answer({}, 307, {"Location": f"{other.url}/edit"})) as pointing:
        answers["/edit"] = (200, {})
        editor = ExternalEditor(url=url)
        assert editor.identity["model"] == "m"
        editor._backends[0].hello = lambda: editor._backends[0].known
        editor._backends[0]._url = pointing.url
        with pytest.raises(EditorError, match=r"HTTP 307(.|\n)*another host"):
            editor.edit(PAGE, "x")
        assert other.requests == []
