"""A judge for tests: a real socket that speaks OpenAI's chat completions, behaves as badly as told, and notes what came.

python -m tests.judges.server --limit 32 --latency 0.25   # prints its address, for benchmarks/judging.py
"""

from __future__ import annotations

import argparse
import asyncio
import base64
import hashlib
import json
import random
import re
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

MODEL = "judge-1"
_RATIONALE = "the new text stands where it was asked for"


@dataclass
class Reply:
    """What the server does with one request."""

    body: Any = None
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    wait: float = 0.0
    cut: bool = False
    """Half of the body, then nothing: the connection is closed."""


@dataclass
class Ask:
    """One request as it came."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]
    number: int
    time: float

    @property
    def content(self) -> list[dict[str, Any]]:
        return self.body["messages"][0]["content"]

    @property
    def prompt(self) -> str:
        return self.content[0]["text"]

    @property
    def dimension(self) -> str:
        found = re.search(r"\((IF|TA|VC|LP|SE)\)", self.prompt)
        return found[1] if found else ""

    @property
    def labels(self) -> list[str]:
        return [part["text"] for part in self.content[1:] if part["type"] == "text"]

    @property
    def images(self) -> list[bytes]:
        urls = [part["image_url"]["url"] for part in self.content if part["type"] == "image_url"]
        return [base64.b64decode(url.partition(",")[2]) for url in urls]

    @property
    def is_repair(self) -> bool:
        return len(self.body["messages"]) > 1

    @property
    def has_schema(self) -> bool:
        return "response_format" in self.body


Behaviour = Callable[[Ask], Reply]


def envelope(
    content: Any, *, model: str = MODEL, usage: tuple[int, int] | None = (1000, 50), end: str = "stop", **message: Any
) -> dict[str, Any]:
    told = {"prompt_tokens": usage[0], "completion_tokens": usage[1], "total_tokens": sum(usage)} if usage else None
    message = {"role": "assistant", "content": content, **message}
    return {
        **{"id": "1", "object": "chat.completion", "created": 1, "model": model},
        **({"usage": told} if told else {}),
        "choices": [{"index": 0, "message": message, "finish_reason": end}],
    }


def grade(value: Any, rationale: str = _RATIONALE, **about: Any) -> Reply:
    return Reply(envelope(json.dumps({"rationale": rationale, "grade": value}), **about))


def error(status: int, message: str = "no", headers: dict[str, str] | None = None, **about: Any) -> Reply:
    return Reply({"error": {"message": message, **about}}, status, headers or {})


def in_turn(*replies: Reply) -> Behaviour:
    """One after the other; the last again and again."""
    return lambda ask: replies[min(ask.number, len(replies) - 1)]


def always(value: int) -> Behaviour:
    return lambda ask: grade(value)


def at_random(seed: int = 0) -> Behaviour:
    lots = random.Random(seed)
    return lambda ask: grade(lots.randint(0, 5))


def knowing(answers: dict[tuple[str, str], int], otherwise: int = 4) -> Behaviour:
    """A good judge: knows the right grade of an output (by its digest, the second image's) in a dimension."""

    def behave(ask: Ask) -> Reply:
        shown = hashlib.sha256(ask.images[1]).hexdigest()
        return grade(answers.get((shown, ask.dimension), otherwise))

    return behave


def of_the_reference() -> Behaviour:
    """Looks at the reference and not at the output: the same grade whatever was made of the page."""

    def behave(ask: Ask) -> Reply:
        return grade(int(hashlib.sha256(ask.images[-1]).hexdigest(), 16) % 2 + 4)

    return behave


class JudgeServer:
    """Answers as its behaviour says; more than `limit` at once are told to come back."""

    def __init__(
        self, behaviour: Behaviour | None, *, limit: int = 0, latency: float = 0.0, wait: str = "0.1", queue: int = 0
    ) -> None:
        self.behaviour = behaviour
        self.limit, self.latency, self.wait, self.queue = limit, latency, wait, queue
        self.asks: list[Ask] = []
        self.sent_away = 0
        self.answered = 0
        self.under_way = 0
        self.peak = 0
        self.url = ""

    async def handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
            while await self._one(reader, writer):
                pass
        writer.close()

    async def _one(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in head[1:] if line)}
        body = await reader.readexactly(int(headers.get("content-length", 0)))
        self.under_way += 1
        try:
            reply = await self._reply(head[0].split()[1], headers, body)
        finally:
            self.under_way -= 1
        content = reply.body if isinstance(reply.body, bytes) else json.dumps(reply.body).encode()
        told = {"Content-Type": "application/json", "Content-Length": str(len(content)), **reply.headers}
        lines = [f"HTTP/1.1 {reply.status} X", *(f"{name}: {value}" for name, value in told.items()), "", ""]
        writer.write("\r\n".join(lines).encode() + (content[: len(content) // 2] if reply.cut else content))
        await writer.drain()
        return not reply.cut

    async def _reply(self, path: str, headers: dict[str, str], body: bytes) -> Reply:
        if self.limit and self.under_way > self.limit:
            self.sent_away += 1
            return error(429, "too many at once", {"Retry-After": self.wait})
        self.peak = max(self.peak, self.under_way)
        self.answered += 1
        if self.behaviour is None:
            await asyncio.sleep(self.latency)
            return grade(self.answered % 6)
        ask = Ask(path, headers, json.loads(body), len(self.asks), time.monotonic())
        self.asks.append(ask)
        reply = self.behaviour(ask)
        if self.queue:  # so many are worked on, the others wait
            async with self._workers:
                await asyncio.sleep(self.latency)
        await asyncio.sleep(reply.wait or (0 if self.queue else self.latency))
        return reply

    async def serve(self, ready: Callable[[], None]) -> None:
        self._workers = asyncio.Semaphore(self.queue or 1)
        server = await asyncio.start_server(self.handle, "127.0.0.1", 0, limit=1 << 26, backlog=512)
        self.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
        ready()
        async with server:
            await server.serve_forever()


@contextmanager
def judging(behaviour: Behaviour | None, **options: Any) -> Iterator[JudgeServer]:
    """A server in a thread of its own."""
    server = JudgeServer(behaviour, **options)
    up = threading.Event()
    loop = asyncio.new_event_loop()

    def run() -> None:
        asyncio.set_event_loop(loop)
        task = loop.create_task(server.serve(up.set))
        with suppress(asyncio.CancelledError):
            loop.run_until_complete(task)
        left = asyncio.all_tasks(loop)
        for each in left:
            each.cancel()
        loop.run_until_complete(asyncio.gather(*left, return_exceptions=True))
        loop.run_until_complete(loop.shutdown_asyncgens())
        loop.close()

    thread = threading.Thread(target=run)
    thread.start()
    up.wait(5)
    try:
        yield server
    finally:
        loop.call_soon_threadsafe(lambda: [task.cancel() for task in asyncio.all_tasks(loop)])
        thread.join(10)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--limit", type=int, default=32)
    parser.add_argument("--latency", type=float, default=0.25)
    given = parser.parse_args()
    server = JudgeServer(None, limit=given.limit, latency=given.latency)
    asyncio.run(server.serve(lambda: print(server.url, flush=True)))


if __name__ == "__main__":
    main()
