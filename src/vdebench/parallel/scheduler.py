"""Who is given what, and what is done about workers that die: the loop that all engines share."""

from __future__ import annotations

import pickle
import traceback
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

from vdebench.errors import VdeError

DEATHS = 3
"""Deaths per worker, one after the other with nothing done between them, after which a run is given up."""


class Worker(ABC):
    """One process, here or elsewhere. It answers with bytes: once when it is ready, then once for each task."""

    tasks_done = 0

    @abstractmethod
    def give(self, task: bytes) -> None:
        """Give it a task; it has none."""


class WorkerPool(ABC):
    """Starts workers, listens to them, ends them."""

    @abstractmethod
    def start(self) -> Worker:
        """A new worker, on its way."""

    @abstractmethod
    def listen(self, workers: Sequence[Worker]) -> list[tuple[Worker, bytes | str]]:
        """Wait for messages; give (worker, answer) pairs, and (worker, how it died) for those that exited."""

    @abstractmethod
    def end(self, worker: Worker) -> None:
        """Let a worker go that has no task."""

    @abstractmethod
    def close(self) -> None:
        """End all workers now."""


class TaskRunner:
    """The work, in the process of a worker."""

    def __init__(self, work: bytes) -> None:
        self._work: Callable[[Any], Any] = _loaded(work)

    def answer(self, task: bytes) -> bytes:
        """What the work makes of a task, or what it raised."""
        try:
            return pickle.dumps((True, self._work(_loaded(task))))
        except Exception as error:
            return raised(error)


def _loaded(content: bytes) -> Any:
    """Work or a task; workers do not run the user's script, so what it defines cannot be loaded."""
    try:
        return pickle.loads(content)
    except AttributeError as error:
        if "__main__" not in str(error):
            raise
        raise VdeError(
            f"{error}: worker processes do not run your script; define it in a module, and import it"
        ) from None


READY = pickle.dumps((True, None))


def raised(error: Exception) -> bytes:
    """An exception on its way to another process, with where it was raised."""
    trace = "".join(traceback.format_exception(error))
    try:
        content = pickle.dumps((False, error, trace))
        pickle.loads(content)
    except Exception:  # it holds what cannot travel
        content = pickle.dumps((False, VdeError(f"{type(error).__name__}: {error}"), trace))
    return content


def _opened(answer: bytes) -> Any:
    """The result in an answer; an exception is raised."""
    good, found, *trace = pickle.loads(answer)
    if good:
        return found
    found.add_note(f"in a worker:\n{trace[0]}")
    raise found


class _QueuedTask:
    """A task that was taken."""

    def __init__(self, task: Any, tries: int) -> None:
        self.task = task
        self.content = pickle.dumps(task)
        self.tries = tries


class Scheduler:
    """One call of `spread`: which tasks wait, who is at which, how many died."""

    def __init__(
        self,
        crew: WorkerPool,
        tasks: Iterable[Any],
        workers: int,
        *,
        recycled: int = 0,
        lost: Callable[[Any, str], Any] | None = None,
        tries: int = 1,
    ) -> None:
        self._crew = crew
        self._tasks = iter(tasks)
        self._workers = workers
        self._recycled = recycled
        self._lost = lost
        self._tries = tries
        self._waiting: deque[_QueuedTask] = deque()
        self._starting: set[Worker] = set()
        self._idle: list[Worker] = []
        self._busy: dict[Worker, _QueuedTask] = {}
        self._any_ready = False
        self._deaths = 0
        self._error: Exception | None = None

    def results(self) -> Iterator[Any]:
        """Results as they come, those before an error too."""
        try:
            while self._hand_out():
                found = self._heard()
                self._hand_out()  # first: whoever takes the results may be long about it
                yield from found
            if self._error:
                raise self._error
        finally:
            self._crew.close()

    def _hand_out(self) -> bool:
        """Give everyone a task and take one ahead; False where all is done, or nothing can be."""
        if self._error:
            return False
        self._take(self._workers - len(self._busy))
        wanted = min(self._workers, len(self._busy) + len(self._waiting))
        while len(self._busy) + len(self._idle) + len(self._starting) < wanted:
            self._starting.add(self._crew.start())
        while self._idle and self._waiting:
            worker, job = self._idle.pop(), self._waiting.popleft()
            self._busy[worker] = job
            worker.give(job.content)
        self._take(1)
        return bool(self._busy or self._waiting)

    def _take(self, count: int) -> None:
        """Have some tasks waiting, as long as there are any."""
        for task in islice(self._tasks, max(0, count - len(self._waiting))):
            self._waiting.append(_QueuedTask(task, self._tries))

    def _heard(self) -> list[Any]:
        """Results that have come since."""
        found = []
        for worker, answer in self._crew.listen([*self._starting, *self._busy]):
            job = self._busy.pop(worker, None)
            self._starting.discard(worker)
            try:
                if isinstance(answer, str):
                    found += self._died(job, answer)
                    continue
                result = _opened(answer)
            except Exception as error:
                self._error = error
                return found
            self._any_ready = True
            if job is not None:
                found.append(result)
                self._deaths = 0
                worker.tasks_done += 1
            if self._recycled and worker.tasks_done >= self._recycled:
                self._crew.end(worker)
            else:
                self._idle.append(worker)
        return found

    def _died(self, job: _QueuedTask | None, reason: str) -> list[Any]:
        """What stands for the result of a task whose worker died: nothing where it is tried again."""
        self._deaths += 1
        if not self._any_ready:
            raise VdeError(f"a worker process died before it could begin: {reason}")
        if self._deaths > DEATHS * self._workers:
            raise VdeError(
                f"{self._deaths} worker processes died one after the other, and nothing was done between: {reason}\n"
                "  ask for fewer workers where memory is short; what is finished is kept"
            )
        if job is None:
            return []
        job.tries -= 1
        if job.tries > 0:
            self._waiting.appendleft(job)
            return []
        if self._lost is None:
            raise VdeError(f"a worker process died: {reason}; run the same command again, perhaps with fewer workers")
        return [self._lost(job.task, reason)]
