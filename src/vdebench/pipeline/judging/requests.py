"""Asking all questions of a run: many at a time, as many as the server bears, each outcome kept when it is there."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator
from contextlib import asynccontextmanager
from functools import partial
from typing import Any
from weakref import WeakValueDictionary

from vdebench.errors import VdeError
from vdebench.io.cache import Cache, Digest
from vdebench.judges.client import JudgeClient, JudgeUnusableError
from vdebench.judges.judge import JudgeRequest
from vdebench.judges.outcome import JudgeOutcome
from vdebench.judges.questions import JudgedSample, Question
from vdebench.net.budget import Budget
from vdebench.net.image_payloads import ImagePayload, picture
from vdebench.net.pacing import RequestWindow
from vdebench.pipeline.judging.folder import GradeJournal, WantedGrade
from vdebench.pipeline.judging.grade_record import GradeRecord
from vdebench.pipeline.judging.plan import Plan

SpendProgress = Callable[[int, int, float], Any]
"""Called with questions settled, all questions, dollars spent."""
HOPELESS = 20
"""Questions in a row without an answer after which the rest is left for later."""
_ROOM = 192 * 1024 * 1024
"""Bytes of images that are under way at once: a request holds its images several times over."""


class SampleImages:
    """A subject's images as they are sent: made once for all its questions, and gone with the last of them."""

    def __init__(self, subject: JudgedSample, limit: int) -> None:
        self.weight = sum(page.weight for page in subject.pages)
        self._make = partial(asyncio.to_thread, _encoded, subject, limit)
        self._made: asyncio.Task[tuple[ImagePayload, ...]] | None = None

    async def get(self) -> tuple[ImagePayload, ...]:
        """The images, or an error that says what is wrong with one."""
        if self._made is None:
            self._made = asyncio.create_task(self._make())
        return await asyncio.shield(self._made)


def _encoded(subject: JudgedSample, limit: int) -> tuple[ImagePayload, ...]:
    return tuple(picture(page, limit) for page in subject.pages)


class MemoryLimit:
    """So many bytes at once; a single request always fits."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.used = 0
        self._changed = asyncio.Condition()

    @asynccontextmanager
    async def for_bytes(self, count: int) -> Any:
        """Wait until there is room."""
        async with self._changed:
            await self._changed.wait_for(lambda: not self.used or self.used + count <= self.size)
            self.used += count
        try:
            yield
        finally:
            async with self._changed:
                self.used -= count
                self._changed.notify_all()


class JudgingSession:
    """One go at a plan's questions."""

    def __init__(
        self,
        plan: Plan,
        journal: GradeJournal,
        cache: Cache[dict[str, Any]],
        budget: Budget,
        *,
        most: int,
        progress: SpendProgress | None,
        pause: float,
    ) -> None:
        self.plan = plan
        self.journal = journal
        self.cache = cache
        self.budget = budget
        self.most = most
        self.progress = progress
        self.pause = pause
        self.stopped = ""
        """Why the rest was not asked; nothing where all was."""
        self.out_of_money = False
        self.asked = 0
        """Questions that were put to the server."""
        self._in_vain = 0
        self._done = 0
        self._total = 0

    async def run(self, wanted: Iterable[WantedGrade], total: int) -> None:
        """Ask all that is not settled yet."""
        self._total = total
        self.pace = RequestWindow(self.most)
        self._asking = JudgeClient(self.plan.judge, self.pace, self.plan.price, pause=self.pause)
        self._room = MemoryLimit(_ROOM)
        self._under_way: WeakValueDictionary[int, SampleImages] = WeakValueDictionary()
        self._waiting = self._unsettled(wanted)
        try:
            async with asyncio.TaskGroup() as group:
                for _ in range(self.most):
                    group.create_task(self._work())
        except* Exception as errors:
            raise errors.exceptions[0] from None
        finally:
            await self.plan.judge.close()

    def _unsettled(self, wanted: Iterable[WantedGrade]) -> Iterator[tuple[Question, Digest, SampleImages]]:
        """What is to be asked, one by one; what the cache knows is settled on the way."""
        given: set[str] = set()
        for each in wanted:
            if self.stopped:
                return
            if each.state or each.digest in given or self.journal.has(each.digest):  # two samples may be one question
                self._tell()
                continue
            if known := GradeRecord.from_cache(each.question, each.digest, self.cache.find(each.digest)):
                self.journal.add(known)
                self._tell()
                continue
            subject = each.question.subject
            pictures = self._under_way.get(id(subject))
            if pictures is None:
                pictures = self._under_way[id(subject)] = SampleImages(subject, self.plan.limit)
            given.add(each.digest)
            yield each.question, each.digest, pictures

    async def _work(self) -> None:
        for question, digest, pictures in self._waiting:  # all workers take from one row
            cost = self.plan.cost(question)
            if not self.budget.take(cost):
                self.out_of_money = True
                self.stopped = self.stopped or f"the budget of ${self.budget.limit:.2f} would be exceeded"
                return
            async with self._room.for_bytes(pictures.weight):
                outcome, told = await self._outcome(question, pictures, cost)
            del pictures  # and with the last question about them the images go
            self.budget.settle(cost, outcome.cost or 0.0, outcome.unpriced, 1 + outcome.repaired)
            self._settle(question, digest, outcome, told)

    async def _outcome(self, question: Question, pictures: SampleImages, cost: float) -> tuple[JudgeOutcome, list[Any]]:
        """What a question led to, and what was sent."""
        try:
            images = await pictures.get()
        except VdeError as error:
            return JudgeOutcome("failed", reason=str(error)), []
        told = [image.told for image in images]
        request = JudgeRequest(question.prompt, images, question.dimension.schema)
        self.asked += 1
        try:
            may_repair = partial(self.budget.affords, cost)
            return await self._asking.outcome(question.dimension, request, may_repair), told
        except JudgeUnusableError as stop:
            self.stopped = self.stopped or stop.outcome.reason
            return stop.outcome, told

    def _settle(self, question: Question, digest: Digest, outcome: JudgeOutcome, told: list[Any]) -> None:
        record = GradeRecord.of(question, digest, outcome, told)
        self.journal.add(record)
        if record.state == "graded":
            self.cache.put(digest, record.to_cache())
        if outcome.tries:  # it was put to the server
            self._in_vain = self._in_vain + 1 if outcome.state in ("failed", "timed_out", "rate_limited") else 0
        if self._in_vain >= HOPELESS:
            self.stopped = self.stopped or f"{HOPELESS} questions in a row had no answer, the last: {outcome.reason}"
        self._tell()

    def _tell(self) -> None:
        self._done += 1
        if self.progress:
            self.progress(self._done, self._total, self.budget.spent)
