"""A whole review by a crowd, over HTTP, with a server that is killed on the way."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Sequence
from contextlib import AsyncExitStack
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from tests.review.crowd.hosting import Hosted
from tests.review.crowd.people import Faults, Person, Record, make_fellows
from tests.review.crowd.plan import ADMIN, GROUPS, HEIGHT, JUDGE, PEOPLE, ROUNDS, WIDTH, Plan
from vdebench.review.accounts import Accounts
from vdebench.review.commands import Add, Open, PoolSample
from vdebench.review.options import Options
from vdebench.review.refusals import Refusal
from vdebench.review.store import Store


class Ran(NamedTuple):
    """A review that is over."""

    record: Record
    log: list[dict[str, Any]]
    """All events as an admin may download them."""
    overview: dict[str, Any]
    seconds: float
    """From the first vote to the last."""
    down: float
    """Of these, the server was not there."""


def opened(database: Path | str, plan: Plan) -> str:
    """Open a review with the samples of a plan in its pool; an invitation for its admin."""
    with Store(database) as store:
        for command in (
            Open(Options(groups=GROUPS, rounds=ROUNDS)),
            Add(tuple(PoolSample(sample, "0" * 64, WIDTH, HEIGHT) for sample in plan.samples)),
        ):
            answer = store.submit(command, who=ADMIN, now=datetime.now(UTC))
            assert not isinstance(answer, Refusal), answer
        return Accounts(store).invite(name=ADMIN)


async def held(
    hosted: Hosted, plan: Plan, invitation: str, *, delay: float, faults: Faults, kills: Sequence[float]
) -> Ran:
    """Hold the review; `kills` are the shares of all votes after which the server is killed and started again."""
    record = Record()
    async with AsyncExitStack() as stack:

        async def person(name: str) -> Person:
            made = Person(hosted.url, name, plan, record, delay=delay, faults=faults)
            return await stack.enter_async_context(made)

        admin = await person(ADMIN)
        await admin.join(invitation)
        await admin.read_me()
        people = [await person(name) for name in (*PEOPLE, JUDGE)]
        for one in people:
            role = {"role": "annotator", "group": PEOPLE[one.name]} if one.name in PEOPLE else {"role": "adjudicator"}
            made = await admin.ask("POST", "/api/admin/invitations", {"group": "", "days": 1, **role})
            await one.join(made.json()["link"].partition("#join=")[2])
            await (one.sign_in() if one.name == JUDGE else one.read_me())
        make_fellows(people)
        began = time.perf_counter()
        killing = asyncio.create_task(_kill(hosted, plan, record, kills))
        if plan.pilot:
            await _must(admin, {"kind": "start_pilot", "samples": plan.pilot})
            await _until_done(admin, people, pilot=True)
            await _must(admin, {"kind": "end_pilot"})
        for sample in plan.withdrawn:
            await _must(
                admin, {"kind": "withdraw", "sample": sample, "reason": "somebody's <i>name</i>; DROP TABLE events"}
            )
        await _until_done(admin, people)
        seconds, down = time.perf_counter() - began, await killing
        events = await admin.ask("GET", "/api/admin/events.jsonl")
        overview = (await admin.ask("GET", "/api/admin/overview")).json()
    return Ran(record, [json.loads(line) for line in events.text.split("\n") if line], overview, seconds, down)


async def _must(admin: Person, command: dict[str, Any]) -> None:
    answer = await admin.ask("POST", "/api/commands", {"key": admin.new_key(), "command": command})
    assert answer.status_code == 200, answer.text


async def _until_done(admin: Person, people: list[Person], *, pilot: bool = False) -> None:
    """Have people work until nothing waits for anybody."""
    done = asyncio.Event()
    async with asyncio.TaskGroup() as group:
        for one in people:
            group.create_task(one.work(done))
        while True:
            told = (await admin.ask("GET", "/api/progress", of="progress")).json()
            waiting = [told["pilot"]["waiting"]] if pilot else _waiting(told)
            if not any(waiting):
                break
            await asyncio.sleep(0.2 if admin.plan.count < 1000 else 2.0)
        done.set()


def _waiting(told: dict[str, Any]) -> list[int]:
    groups = [step["waiting"] for group in told["groups"].values() for step in group.values()]
    return [*groups, told["ocr"]["waiting"], told["conflict"]["waiting"]]


async def _kill(hosted: Hosted, plan: Plan, record: Record, shares: Sequence[float]) -> float:
    """Kill the server in the middle of votes and start it again, a few times; how long it was gone in all."""
    down = 0.0
    for share in shares:
        while len(record.accepted) < share * plan.votes:
            await asyncio.sleep(0.01)
        before = time.perf_counter()
        await asyncio.to_thread(hosted.kill)
        await asyncio.to_thread(hosted.start)
        down += time.perf_counter() - before
    return down
