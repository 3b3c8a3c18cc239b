"""One editor in many threads: correct pages, one client, close ends pauses."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import numpy as np
import pytest

from tests.editors.server import PAGE, coded, error, openai, png, serving
from vdebench.editors.factory import get_editor
from vdebench.errors import EditorError
from vdebench.net.errors import RequestError

pytest.importorskip("httpx2")


def test_many_threads_share_one_editor(monkeypatch):
    monkeypatch.setattr("vdebench.editors.servers.client.PAUSE", 0.001)
    together, most = threading.Semaphore(0), []

    def behave(ask):
        number = int(ask.form["prompt"])
        most.append(number)
        if len(most) <= 4:  # the first four are under way at once, or this would hang
            together.release()
            for _ in range(4):
                together.acquire(timeout=5)
                together.release()
        if number % 3 == 0 and most.count(number) == 1:
            return error(503)
        return openai(data=[{"b64_json": coded(png(colour=(number, 0, 0)))}], usage={"input_tokens": number})

    opened = []
    from vdebench.editors.servers import client

    real = client.HttpClient
    monkeypatch.setattr(client, "HttpClient", lambda *a, **k: opened.append(1) or real(*a, **k))
    with (
        serving(behaviour=behave) as server,
        closing(get_editor("openai-images", base_url=server.url, model="m")) as editor,
        ThreadPoolExecutor(4) as threads,
    ):
        assert (editor.waits, editor.concurrency, editor.per_minute) == (True, 4, 0)
        edits = list(threads.map(lambda number: editor.edit(PAGE, str(number)), range(24)))
    for number, edit in enumerate(edits):
        assert (edit.image == np.array((number, 0, 0))).all()
        assert edit.parameters["input_tokens"] == number
        assert edit.parameters["requests"] == (2 if number % 3 == 0 else 1)
    assert len(opened) == 2  # one that has the key, one for downloads


def test_closing_ends_pauses_and_it_may_be_asked_again():
    with serving(error(429, "slower", {"Retry-After": "30"}), openai()) as server:
        editor = get_editor("openai-images", base_url=server.url, model="m")
        with ThreadPoolExecutor(1) as thread:
            start = time.monotonic()
            waiting = thread.submit(editor.edit, PAGE, "do")
            while not server.asks:
                time.sleep(0.01)
            time.sleep(0.05)
            editor.close()
            with pytest.raises(EditorError, match="HTTP 429"):
                waiting.result(10)
        assert time.monotonic() - start < 10
        assert editor.edit(PAGE, "do").state == "edited"
        client = editor.client()
        editor.close()
        editor.close()
        with pytest.raises(RequestError, match="was closed"):  # as for a thread that was about to ask
            client.post(server.url)


def test_a_process_that_forgets_to_close_leaves_no_warnings():
    with serving(openai(), lasting=True) as server:
        script = (
            "import numpy, sys\n"
            "from vdebench.editors import get_editor\n"
            "editor = get_editor('openai-images', base_url=sys.argv[1], model='m')\n"
            "print(editor.edit(numpy.zeros((9, 9, 3), 'uint8'), 'do').state)\n"
        )
        command = [sys.executable, "-W", "error", "-c", script, server.url]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert (done.stdout, done.stderr) == ("edited\n", "")
