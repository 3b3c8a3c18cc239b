"""Local servers for tests that return scripted answers and record requests."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import pairwise
from typing import Any


@dataclass
class Answer:
    """What a server answers: JSON, or bytes as they are; after some time; perhaps dribbling, perhaps cut off."""

    body: Any = None
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    wait: float = 0
    dribble: float = 0
    cut: int = 0
    """Bytes that are announced and never sent."""


@dataclass
class Request:
    path: str
    headers: dict[str, str]
    body: Any
    time: float


class Server:
    """Answers in turn; the last answer is given again and again."""

    def __init__(self, answers: list[Answer]) -> None:
        self.answers = answers
        self.requests: list[Request] = []
        self.url = ""

    def next(self, request: Request) -> Answer:
        self.requests.append(request)
        return self.answers[min(len(self.requests), len(self.answers)) - 1]

    @property
    def pauses(self) -> list[float]:
        times = [request.time for request in self.requests]
        return [after - before for before, after in pairwise(times)]


@contextmanager
def serving(*answers: Answer) -> Iterator[Server]:
    server = Server(list(answers))

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            answer = server.next(
                Request(self.path, {key.lower(): value for key, value in self.headers.items()}, body, time.monotonic())
            )
            content = answer.body if isinstance(answer.body, bytes) else json.dumps(answer.body).encode()
            time.sleep(answer.wait)
            self.send_response(answer.status)
            for key, value in {"Content-Type": "application/json", **answer.headers}.items():
                self.send_header(key, value)
            self.send_header("Content-Length", str(len(content) + answer.cut))
            self.end_headers()
            step = 1 if answer.dribble else max(1, len(content))
            try:
                for start in range(0, len(content), step):
                    self.wfile.write(content[start : start + step])
                    time.sleep(answer.dribble)
            except OSError:  # the client left
                pass
            self.close_connection = True

        def log_message(self, *_: Any) -> None:
            pass

    class Quiet(ThreadingHTTPServer):
        daemon_threads = True
        block_on_close = False

        def handle_error(self, *_: Any) -> None:
            pass

    with Quiet(("127.0.0.1", 0), Handler) as http:
        server.url = f"http://127.0.0.1:{http.server_port}"
        thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield server
        finally:
            http.shutdown()
            thread.join()


def closed_port() -> int:
    """A port where nobody listens."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return int(taken.getsockname()[1])
