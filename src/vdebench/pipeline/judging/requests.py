"""Concurrent requests for all questions of a run; each outcome is written at once."""

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
from vdebench.net.image_payloads import ImagePayload, encode_image
from vdebench.net.pacing import RequestWindow
from vdebench.pipeline.judging.folder import GradeJournal, PlannedGrade
from vdebench.pipeline.judging.grade_record import GradeRecord
from vdebench.pipeline.judging.plan import Plan

SpendProgress = Callable[[int, int, float], Any]
"""Called with the number of finished questions, of all questions, and the dollars spent."""
MAX_FAILURES = 20
"""Number of questions in a row without an answer after which the run stops."""
_ROOM = 192 * 1024 * 1024
"""Limit of the images in memory, in bytes: a request holds several copies of its images."""


class SampleImages:
    """Encoded images of a sample, shared by all its questions and freed with the last."""

    def __init__(self, subject: JudgedSample, limit: int) -> None:
        self.weight = sum(page.weight for page in subject.pages)
        self._encode = partial(asyncio.to_thread, _encoded, subject, limit)
        self._task: asyncio.Task[tuple[ImagePayload, ...]] | None = None

    async def get(self) -> tuple[ImagePayload, ...]:
        """Return the images; raise an error if one is invalid."""
        if self._task is None:
            self._task = asyncio.create_task(self._encode())
        return await asyncio.shield(self._task)


def _encoded(subject: JudgedSample, limit: int) -> tuple[ImagePayload, ...]:
    return tuple(encode_image(page, limit) for page in subject.pages)


class MemoryLimit:
    """A limit of bytes in use; a single request always fits."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.used = 0
        self._changed = asyncio.Condition()

    @asynccontextmanager
    async def for_bytes(self, count: int) -> Any:
        """Wait until the bytes fit."""
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
    """Asks the questions of a plan."""

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
        """Why the run stopped early; empty if it did not."""
        self.out_of_money = False
        self.asked = 0
        """Number of questions sent to the server."""
        self._failures_in_a_row = 0
        self._done = 0
        self._total = 0

    async def run(self, grades: Iterable[PlannedGrade], total: int) -> None:
        """Ask all questions that are not settled yet."""
        self._total = total
        self.pace = RequestWindow(self.most)
        self._client = JudgeClient(self.plan.judge, self.pace, self.plan.price, pause=self.pause)
        self._memory = MemoryLimit(_ROOM)
        self._images: WeakValueDictionary[int, SampleImages] = WeakValueDictionary()
        self._queue = self._unsettled(grades)
        try:
            async with asyncio.TaskGroup() as group:
                for _ in range(self.most):
                    group.create_task(self._work())
        except* Exception as errors:
            raise errors.exceptions[0] from None
        finally:
            await self.plan.judge.close()

    def _unsettled(self, grades: Iterable[PlannedGrade]) -> Iterator[tuple[Question, Digest, SampleImages]]:
        """Yield the questions to ask; take the others from the cache."""
        queued: set[str] = set()
        for each in grades:
            if self.stopped:
                return
            if each.state or each.digest in queued or self.journal.has(each.digest):  # two samples may share a question
                self._count_done()
                continue
            if known := GradeRecord.from_cache(each.question, each.digest, self.cache.find(each.digest)):
                self.journal.add(known)
                self._count_done()
                continue
            subject = each.question.subject
            pictures = self._images.get(id(subject))
            if pictures is None:
                pictures = self._images[id(subject)] = SampleImages(subject, self.plan.limit)
            queued.add(each.digest)
            yield each.question, each.digest, pictures

    async def _work(self) -> None:
        for question, digest, pictures in self._queue:  # a queue shared by all workers
            cost = self.plan.cost(question)
            if not self.budget.take(cost):
                self.out_of_money = True
                self.stopped = self.stopped or f"the budget of ${self.budget.limit:.2f} would be exceeded"
                return
            async with self._memory.for_bytes(pictures.weight):
                outcome, images = await self._outcome(question, pictures, cost)
            del pictures  # free the images with their last question
            self.budget.settle(cost, outcome.cost or 0.0, outcome.unpriced, 1 + outcome.repaired)
            self._settle(question, digest, outcome, images)

    async def _outcome(self, question: Question, pictures: SampleImages, cost: float) -> tuple[JudgeOutcome, list[Any]]:
        """Return the outcome of a question and the records of the images sent."""
        try:
            images = await pictures.get()
        except VdeError as error:
            return JudgeOutcome("failed", reason=str(error)), []
        records = [image.record for image in images]
        request = JudgeRequest(question.prompt, images, question.dimension.schema)
        self.asked += 1
        try:
            may_repair = partial(self.budget.affords, cost)
            return await self._client.outcome(question.dimension, request, may_repair), records
        except JudgeUnusableError as stop:
            self.stopped = self.stopped or stop.outcome.reason
            return stop.outcome, records

    def _settle(self, question: Question, digest: Digest, outcome: JudgeOutcome, images: list[Any]) -> None:
        record = GradeRecord.of(question, digest, outcome, images)
        self.journal.add(record)
        if record.state == "graded":
            self.cache.put(digest, record.to_cache())
        if outcome.tries:  # it was sent to the server
            failed = outcome.state in ("failed", "timed_out", "rate_limited")
            self._failures_in_a_row = self._failures_in_a_row + 1 if failed else 0
        if self._failures_in_a_row >= MAX_FAILURES:
            self.stopped = (
                self.stopped or f"{MAX_FAILURES} questions in a row had no answer, the last: {outcome.reason}"
            )
        self._count_done()

    def _count_done(self) -> None:
        self._done += 1
        if self.progress:
            self.progress(self._done, self._total, self.budget.spent)
