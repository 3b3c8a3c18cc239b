"""The scheduler that all engines share: assigns tasks to workers and replaces workers that die."""

from __future__ import annotations

import pickle
import traceback
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

from vdebench.errors import VdeError

MAX_DEATHS = 3
"""Consecutive deaths per worker, without a completed task in between, after which the scheduler gives up."""


class Worker(ABC):
    """A process, local or remote. It answers with bytes: once when it is ready, then once for each task."""

    tasks_done = 0

    @abstractmethod
    def send(self, task: bytes) -> None:
        """Send a task to an idle worker."""


class WorkerPool(ABC):
    """Starts workers, waits for their answers, stops them."""

    @abstractmethod
    def start(self) -> Worker:
        """Start a worker without waiting until it is ready."""

    @abstractmethod
    def listen(self, workers: Sequence[Worker]) -> list[tuple[Worker, bytes | str]]:
        """Wait for messages; return (worker, answer) pairs and (worker, reason) for workers that exited."""

    @abstractmethod
    def stop(self, worker: Worker) -> None:
        """Stop an idle worker."""

    @abstractmethod
    def close(self) -> None:
        """Stop all workers."""


class TaskRunner:
    """Runs the work inside a worker process."""

    def __init__(self, work: bytes) -> None:
        self._work: Callable[[Any], Any] = _unpickled(work)

    def answer(self, task: bytes) -> bytes:
        """Run a task; return its pickled result or exception."""
        try:
            return pickle.dumps((True, self._work(_unpickled(task))))
        except Exception as error:
            return pickled_error(error)


def _unpickled(content: bytes) -> Any:
    """Unpickle work or a task; objects defined in the user's script cannot be loaded and raise `VdeError`."""
    try:
        return pickle.loads(content)
    except AttributeError as error:
        if "__main__" not in str(error):
            raise
        raise VdeError(
            f"{error}: worker processes do not run your script; define it in a module and import it"
        ) from None


READY = pickle.dumps((True, None))


def pickled_error(error: Exception) -> bytes:
    """Pickle an exception with its traceback; one that cannot be pickled becomes a `VdeError`."""
    trace = "".join(traceback.format_exception(error))
    try:
        content = pickle.dumps((False, error, trace))
        pickle.loads(content)
    except Exception:  # it cannot be pickled
        content = pickle.dumps((False, VdeError(f"{type(error).__name__}: {error}"), trace))
    return content


def _result_of(answer: bytes) -> Any:
    """Unpickle an answer: return the result or raise the exception."""
    succeeded, result, *trace = pickle.loads(answer)
    if succeeded:
        return result
    result.add_note(f"in a worker:\n{trace[0]}")
    raise result


class _QueuedTask:
    """A task, its pickled form, and the number of attempts left."""

    def __init__(self, task: Any, attempts: int) -> None:
        self.task = task
        self.content = pickle.dumps(task)
        self.attempts = attempts


class Scheduler:
    """State of one call of `map_tasks`: waiting tasks, workers with their tasks, consecutive deaths."""

    def __init__(
        self,
        pool: WorkerPool,
        tasks: Iterable[Any],
        workers: int,
        *,
        max_tasks_per_worker: int = 0,
        on_lost: Callable[[Any, str], Any] | None = None,
        attempts: int = 1,
    ) -> None:
        self._pool = pool
        self._tasks = iter(tasks)
        self._workers = workers
        self._max_tasks = max_tasks_per_worker
        self._on_lost = on_lost
        self._attempts = attempts
        self._waiting: deque[_QueuedTask] = deque()
        self._starting: set[Worker] = set()
        self._idle: list[Worker] = []
        self._busy: dict[Worker, _QueuedTask] = {}
        self._any_ready = False
        self._deaths = 0
        self._error: Exception | None = None

    def results(self) -> Iterator[Any]:
        """Yield results as they complete; those received before an error are yielded before it is raised."""
        try:
            while self._assign():
                results = self._receive()
                self._assign()  # before yielding: the consumer may take long
                yield from results
            if self._error:
                raise self._error
        finally:
            self._pool.close()

    def _assign(self) -> bool:
        """Give tasks to idle workers and take one ahead; return False if all tasks are done or an error occurred."""
        if self._error:
            return False
        self._take(self._workers - len(self._busy))
        target = min(self._workers, len(self._busy) + len(self._waiting))
        while len(self._busy) + len(self._idle) + len(self._starting) < target:
            self._starting.add(self._pool.start())
        while self._idle and self._waiting:
            worker, job = self._idle.pop(), self._waiting.popleft()
            self._busy[worker] = job
            worker.send(job.content)
        self._take(1)
        return bool(self._busy or self._waiting)

    def _take(self, count: int) -> None:
        """Fill the queue up to `count` tasks while there are any."""
        for task in islice(self._tasks, max(0, count - len(self._waiting))):
            self._waiting.append(_QueuedTask(task, self._attempts))

    def _receive(self) -> list[Any]:
        """Wait for answers; return the results among them."""
        results = []
        for worker, answer in self._pool.listen([*self._starting, *self._busy]):
            job = self._busy.pop(worker, None)
            self._starting.discard(worker)
            try:
                if isinstance(answer, str):
                    results += self._handle_death(job, answer)
                    continue
                result = _result_of(answer)
            except Exception as error:
                self._error = error
                return results
            self._any_ready = True
            if job is not None:
                results.append(result)
                self._deaths = 0
                worker.tasks_done += 1
            if self._max_tasks and worker.tasks_done >= self._max_tasks:
                self._pool.stop(worker)
            else:
                self._idle.append(worker)
        return results

    def _handle_death(self, job: _QueuedTask | None, reason: str) -> list[Any]:
        """Handle the death of a worker: queue its task again, or return the result that replaces it."""
        self._deaths += 1
        if not self._any_ready:
            raise VdeError(f"a worker process died while starting: {reason}")
        if self._deaths > MAX_DEATHS * self._workers:
            raise VdeError(
                f"{self._deaths} worker processes died in a row without completing a task: {reason}\n"
                "  if memory is short, use fewer workers; completed work is kept"
            )
        if job is None:
            return []
        job.attempts -= 1
        if job.attempts > 0:
            self._waiting.appendleft(job)
            return []
        if self._on_lost is None:
            raise VdeError(f"a worker process died: {reason}; run the same command again, perhaps with fewer workers")
        return [self._on_lost(job.task, reason)]
