"""Local servers with the APIs of image editors, which record requests."""

from __future__ import annotations

import base64
import io
import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from email import message_from_bytes
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from PIL import Image

from vdebench.editors.editor import Edit
from vdebench.editors.factory import get_editor

PAGE = np.full((80, 60, 3), 255, np.uint8)
PAGE[10:20, 5:40] = (200, 0, 0)
SIZE = (48, 64)
INSTRUCTION = "Replace 'a' with 'b'"
COLOUR = (10, 120, 200)
KEYS = ("OPENAI_API_KEY", "GEMINI_API_KEY", "ARK_API_KEY", "DASHSCOPE_API_KEY", "OPENROUTER_API_KEY", "OPENAI_BASE_URL")


def without_keys_or_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    """As on a machine where no maker is known; tries follow each other at once."""
    monkeypatch.setattr("vdebench.editors.servers.client.PAUSE", 0.001)
    for name in KEYS:
        monkeypatch.delenv(name, raising=False)


def png(size=SIZE, colour=COLOUR, form="PNG", **options: Any) -> bytes:
    out = io.BytesIO()
    Image.new("RGB", size, colour).save(out, form, **options)
    return out.getvalue()


def coded(content: bytes) -> str:
    return base64.b64encode(content).decode()


@dataclass
class Reply:
    body: Any = None
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    wait: float = 0
    cut: int = 0
    """Bytes that are announced and never sent."""


@dataclass
class Ask:
    method: str
    path: str
    headers: dict[str, str]
    content: bytes
    time: float
    number: int

    @property
    def body(self) -> Any:
        return json.loads(self.content)

    @property
    def form(self) -> dict[str, Any]:
        """Fields of a form; files as bytes."""
        whole = message_from_bytes(
            b"Content-Type: " + self.headers["content-type"].encode() + b"\r\n\r\n" + self.content
        )
        found: dict[str, Any] = {}
        for part in whole.get_payload():
            name = part.get_param("name", header="content-disposition")
            content = part.get_payload(decode=True)
            found[name] = content if part.get_filename() else content.decode()
        return found


class Server:
    def __init__(self, behaviour: Callable[[Ask], Reply]) -> None:
        self.behaviour = behaviour
        self.asks: list[Ask] = []
        self.url = ""

    @property
    def posts(self) -> list[Ask]:
        return [ask for ask in self.asks if ask.method == "POST"]

    @property
    def pauses(self) -> list[float]:
        return [after.time - before.time for before, after in pairwise(self.asks)]


@contextmanager
def serving(
    *replies: Reply, behaviour: Callable[[Ask], Reply] | None = None, lasting: bool = False
) -> Iterator[Server]:
    """Answers in turn, the last again and again; or as a function says. Connections end, unless they are `lasting`."""
    server = Server(behaviour or (lambda ask: replies[min(ask.number, len(replies) - 1)]))

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1" if lasting else "HTTP/1.0"

        def _answer(self) -> None:
            content = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            headers = {name.lower(): value for name, value in self.headers.items()}
            ask = Ask(self.command, self.path, headers, content, time.monotonic(), len(server.asks))
            server.asks.append(ask)
            reply = server.behaviour(ask)
            body = reply.body if isinstance(reply.body, bytes) else json.dumps(reply.body).encode()
            time.sleep(reply.wait)
            try:
                self.send_response(reply.status)
                for name, value in reply.headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(body) + reply.cut))
                self.end_headers()
                self.wfile.write(body)
            except OSError:  # the client left
                pass
            self.close_connection = not lasting

        do_POST = do_GET = _answer  # noqa: N815

        def log_message(self, *_: Any) -> None:
            pass

    class Quiet(ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, *_: Any) -> None:
            pass

    with Quiet(("127.0.0.1", 0), Handler) as http:
        server.url = f"http://127.0.0.1:{http.server_address[1]}"
        thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield server
        finally:
            http.shutdown()
            thread.join()


# The makers' envelopes.


def openai(picture: bytes | None = None, **about: Any) -> Reply:
    told = {
        "created": 1,
        "data": [{"b64_json": coded(png() if picture is None else picture)}],
        "size": "1024x1024",
        "usage": {
            "total_tokens": 1300,
            "input_tokens": 1000,
            "output_tokens": 300,
            "input_tokens_details": {"text_tokens": 100, "image_tokens": 900},
        },
    }
    return Reply({**told, **about}, headers={"x-request-id": "req_1"})


def gemini(*parts: dict[str, Any], end: str = "STOP", **about: Any) -> Reply:
    told = {
        "candidates": [{"content": {"parts": list(parts), "role": "model"}, "finishReason": end, "index": 0}],
        "usageMetadata": {"promptTokenCount": 1000, "candidatesTokenCount": 1290, "totalTokenCount": 2290},
        "modelVersion": "gemini-2.5-flash-image-002",
        "responseId": "resp-1",
    }
    return Reply({**told, **about})


def inline(picture: bytes, **about: Any) -> dict[str, Any]:
    return {"inlineData": {"mimeType": "image/png", "data": coded(picture)}, **about}


def ark(*data: dict[str, Any]) -> Reply:
    usage = {"generated_images": 1, "output_tokens": 16384, "total_tokens": 16384}
    return Reply({"model": "doubao-seedream-4-0-250828", "created": 1, "data": list(data), "usage": usage})


def dashscope(*content: dict[str, Any]) -> Reply:
    choices = [{"finish_reason": "stop", "message": {"role": "assistant", "content": list(content)}}]
    usage = {"image_count": 1, "width": 48, "height": 64}
    return Reply({"output": {"choices": choices}, "usage": usage, "request_id": "ds-1"})


def chat(message: dict[str, Any], **choice: Any) -> Reply:
    told = {"role": "assistant", "content": "", **message}
    return Reply(
        {
            "id": "gen-1",
            "model": "google/gemini-2.5-flash-image",
            "choices": [{"index": 0, "message": told, "finish_reason": "stop", **choice}],
            "usage": {"prompt_tokens": 1000, "completion_tokens": 1290, "cost": 0.0391},
        }
    )


def error(status: int, message: str = "no", headers: dict[str, str] | None = None, /, **about: Any) -> Reply:
    return Reply({"error": {"message": message, **about}}, status, headers or {})


def _in_message(url: str) -> Reply:
    return chat({"images": [{"type": "image_url", "image_url": {"url": url}}]})


HOLDING = {
    "openai-images": openai,
    "gemini-image": lambda picture: gemini(inline(picture)),
    "seedream": lambda picture: ark({"b64_json": coded(picture), "size": "48x64"}),
    "dashscope-image": lambda picture: dashscope({"image": f"data:image/png;base64,{coded(picture)}"}),
    "chat-image": lambda picture: _in_message(f"data:image/png;base64,{coded(picture)}"),
}
"""Answers that hold a picture."""
NAMING = {
    "openai-images": lambda url: openai(data=[{"url": url}]),
    "seedream": lambda url: ark({"url": url, "size": "48x64"}),
    "dashscope-image": lambda url: dashscope({"image": url}),
    "chat-image": _in_message,
}
"""Answers that name a picture's address; Gemini's never do."""
GOOD = {name: holding(png()) for name, holding in HOLDING.items()}


def edited(name: str, server: Server, path: str = "", image=PAGE, seed: int = 7, **options: Any) -> Edit:
    """One page through an editor behind a server."""
    options = {"model": "m-1", **options}
    with closing(get_editor(name, base_url=server.url + path, **options)) as editor:
        return editor.edit(image, INSTRUCTION, seed=seed)


def link(server: Server) -> str:
    return f"{server.url}/made.png?Signature=hush"
