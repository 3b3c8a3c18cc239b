"""People over HTTP: each signs in, takes a sample, looks, thinks, votes; and is unlucky in all ways a network allows.

Whoever gets no answer sends the same command with the same key again until there is one.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import time
from collections import Counter
from dataclasses import dataclass, field
from random import Random
from typing import Any
from urllib.parse import urlsplit

import httpx2

from tests.review.crowd.plan import PEOPLE, Plan, Vote

PASSWORD = "correct horse battery {name}"
PATIENCE = 60.0
"""Seconds for which somebody tries to get an answer: a server that is killed takes a few to come back."""
LOST = (httpx2.TransportError, OSError)


@dataclass
class Record:
    """What was sent, and what was answered; by all people."""

    sent: dict[str, tuple[str, Vote]] = field(default_factory=dict)
    """By key: who sent which command."""
    accepted: set[str] = field(default_factory=set)
    refused: dict[str, str] = field(default_factory=dict)
    """By key: the error's word."""
    seconds: dict[str, list[float]] = field(default_factory=dict)
    """By request: from sending to the answer, of every try that was answered."""
    waits: list[float] = field(default_factory=list)
    """Votes that needed more than one try because the server was gone: from the first sending to the answer."""
    happened: Counter[str] = field(default_factory=Counter)
    """How often which fault was played or met."""

    def answered(self, what: str, seconds: float) -> None:
        """Keep how long an answer took."""
        self.seconds.setdefault(what, []).append(seconds)


@dataclass(frozen=True)
class Faults:
    """How often somebody is unlucky, as a share of votes."""

    at_once: float = 0.02
    """The same command is sent twice at the same time."""
    later: float = 0.02
    """It is sent once more after its answer."""
    cut: float = 0.02
    """The connection ends after sending, before the answer."""
    impatient: float = 0.01
    """Somebody waits for a few milliseconds only."""
    rival: float = 0.03
    """Another of the group votes on the same sample at the same time."""
    mark: float = 0.02
    """Evidence is marked before the vote."""
    look: float = 0.1
    """Pictures are fetched."""


class Person:
    """Somebody with a browser."""

    def __init__(self, url: str, name: str, plan: Plan, record: Record, *, delay: float = 0.0, faults: Faults) -> None:
        self.name, self.plan, self.record, self.delay, self.faults = name, plan, record, delay, faults
        self.url = url
        self.random = Random(f"{plan.seed}|{name}")
        self.client = httpx2.AsyncClient(base_url=url, timeout=30.0, headers={"Origin": url})
        self.csrf = ""
        self.fellows: list[Person] = []
        """Others of the same group."""
        self._keys = 0

    async def __aenter__(self) -> Person:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.client.aclose()

    async def join(self, token: str) -> None:
        """Take an invitation up."""
        told = {"token": token, "name": self.name, "password": PASSWORD.format(name=self.name)}
        answer = await self.client.post("/api/join", json=told)
        assert answer.status_code == 200, answer.text

    async def sign_in(self) -> None:
        """As everybody does in the morning."""
        told = {"name": self.name, "password": PASSWORD.format(name=self.name)}
        answer = await self.client.post("/api/login", json=told)
        assert answer.status_code == 200, answer.text
        await self.read_me()

    async def read_me(self) -> dict[str, Any]:
        """Who the server says this is; the token for all that changes something comes with it."""
        me: dict[str, Any] = (await self.ask("GET", "/api/me")).json()
        assert me["name"] == self.name
        self.csrf = me["csrf"]
        return me

    async def ask(self, method: str, path: str, body: object = None, *, of: str = "") -> httpx2.Response:
        """Ask until there is an answer. Only tries that are answered count as time; `of` says to what."""
        first = time.perf_counter()
        failed = 0
        while True:
            sent = time.perf_counter()
            try:
                answer = await self.client.request(method, path, json=body, headers={"X-CSRF-Token": self.csrf})
            except LOST:
                failed += 1
                self.record.happened["try without an answer"] += 1
                if time.perf_counter() - first > PATIENCE:
                    raise
                await asyncio.sleep(self.random.uniform(0.05, 0.2))
                continue
            now = time.perf_counter()
            if answer.status_code in (429, 503):
                self.record.happened[f"told to wait ({answer.status_code})"] += 1
                await asyncio.sleep(min(float(answer.headers.get("Retry-After", 0.1)), 1.0))
                continue
            assert answer.status_code < 500, (method, path, body, answer.status_code, answer.text[:500])
            if of:
                self.record.answered(of, now - sent)
            if failed and of == "vote":
                self.record.waits.append(now - first)
            return answer

    async def work(self, done: asyncio.Event) -> None:
        """Take and vote until all is done."""
        while not done.is_set():
            answer = await self.ask("POST", "/api/take", {}, of="take")
            if answer.status_code == 204:
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(done.wait(), self.random.uniform(0.1, 0.3))
                continue
            assert answer.status_code == 200, answer.text
            await self.deal_with(answer.json())

    async def deal_with(self, sample: dict[str, Any]) -> None:
        """Look, think, vote."""
        if not sample["asked"]:  # between the taking and the look at it, another of the group has voted
            self.record.happened["taken when it was over"] += 1
            return
        if self.random.random() < self.faults.look:
            for which in ("before", "after"):
                picture = await self.ask("GET", sample["images"][which], of="picture")
                assert picture.headers["content-type"] == "image/png", picture.headers
        if self.delay:
            await asyncio.sleep(min(self.random.expovariate(1 / self.delay), 10 * self.delay))
        if self.random.random() < self.faults.mark:
            mark = {"mark": self.new_key(), "side": "after", "boxes": [[1, 2, 3, 4]], "note": "<b>hm</b>"}
            await self.submit({"kind": "mark", "sample": sample["sample"], **mark}, of="mark")
        command = self.plan.vote(sample["sample"], sample["step"], sample["round"], self.name)
        await self.submit(command, fault=self._fault())

    def _fault(self) -> str:
        """What goes wrong this time, if anything."""
        kinds = ("at_once", "later", "cut", "impatient", "rival")
        shares = [getattr(self.faults, kind) for kind in kinds]
        return self.random.choices([*kinds, ""], [*shares, 1 - sum(shares)])[0]

    def new_key(self) -> str:
        """Of one command."""
        self._keys += 1
        return f"{self.plan.seed:04}-{self.name}-{self._keys:012}"

    async def submit(self, command: Vote, *, fault: str = "", of: str = "vote") -> None:
        """Send a command until it is answered, with what goes wrong on the way."""
        key = self.new_key()
        body = {"key": key, "command": command}
        self.record.sent[key] = self.name, command
        self.record.happened[fault] += bool(fault)
        if fault == "cut":
            await self._cut(body)
        elif fault == "impatient":
            with contextlib.suppress(*LOST):
                headers = {"X-CSRF-Token": self.csrf}
                await self.client.post(
                    "/api/commands", json=body, headers=headers, timeout=self.random.uniform(0.001, 0.02)
                )
        sending = [self._send(body, of)]
        if fault == "at_once":
            sending.append(self._send(body, of))
        fellow = self.random.choice(self.fellows) if fault == "rival" and self.fellows else None
        if fellow is not None and command["kind"] != "rate_pilot":  # in the pilot everybody has a vote of their own
            if self.random.random() < 0.5:
                await self.ask("POST", "/api/release", {"id": command["sample"]})
            sending.append(fellow.submit(command))
        answers = await asyncio.gather(*sending)
        if fault == "later":
            answers.append(await self._send(body, of))
        own = {answer == "accepted" for answer in answers if answer is not None}
        assert len(own) == 1, ("one command, several answers", command, answers)

    async def _send(self, body: dict[str, Any], of: str) -> str:
        answer = await self.ask("POST", "/api/commands", body, of=of)
        key = body["key"]
        if answer.status_code == 200:
            assert answer.json()["accepted"] is True, answer.text
            self.record.accepted.add(key)
            return "accepted"
        assert answer.status_code == 409, (body, answer.status_code, answer.text)
        self.record.refused[key] = answer.json()["error"]
        return self.record.refused[key]

    async def _cut(self, body: dict[str, Any]) -> None:
        """Send a command whole, and be gone before the answer comes."""
        content = json.dumps(body).encode()
        place = urlsplit(self.url)
        cookies = "; ".join(f"{name}={value}" for name, value in self.client.cookies.items())
        head = (
            f"POST /api/commands HTTP/1.1\r\nHost: {place.netloc}\r\nOrigin: {self.url}\r\nCookie: {cookies}\r\n"
            f"X-CSRF-Token: {self.csrf}\r\nContent-Type: application/json\r\nContent-Length: {len(content)}\r\n\r\n"
        )
        with contextlib.suppress(OSError):
            _, writer = await asyncio.open_connection(place.hostname, place.port)
            writer.write(head.encode() + content)
            await writer.drain()
            await asyncio.sleep(self.random.uniform(0, 0.01))
            writer.transport.abort()


def make_fellows(people: list[Person]) -> None:
    """Have everybody know the others of their group."""
    for one in people:
        one.fellows = [each for each in people if each is not one and PEOPLE.get(each.name) == PEOPLE.get(one.name, "")]
