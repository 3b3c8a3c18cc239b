"""The interface of an engine, which runs tasks on several workers: `local` on this machine, `ray` on a cluster."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from typing import Self, TypeVar

Task = TypeVar("Task")
Result = TypeVar("Result")
DEFAULT_MAX_WORKERS = 8
"""Default limit per machine: each worker holds models of about a gigabyte."""


class Engine(ABC):
    """Runs tasks on workers; results do not depend on the engine or on the number of workers."""

    name: str
    shares_disk = True
    """Whether workers and this process share a file system."""

    @abstractmethod
    def size(self, *, gpus: bool = False) -> int:
        """Return the number of workers that can run at once: one per processor, or one per GPU."""

    @property
    def machines(self) -> int:
        """Number of machines."""
        return 1

    def worker_count(self, requested: int = 0) -> int:
        """Return the requested number of workers; if 0, one per processor, at most `MOST_WORKERS` per machine."""
        return requested or min(self.size(), DEFAULT_MAX_WORKERS * self.machines)

    @abstractmethod
    def map_tasks(
        self,
        work: Callable[[Task], Result],
        tasks: Iterable[Task],
        workers: int = 0,
        *,
        max_tasks_per_worker: int = 0,
        on_lost: Callable[[Task, str], Result] | None = None,
        attempts: int = 1,
        gpus: bool = False,
    ) -> Iterator[Result]:
        """Call `work` on each task; yield results as they complete, in any order.

        `work` is a module-level function or another picklable callable; each worker receives it once. One local worker
        without a GPU runs in this process; otherwise `workers` processes are started, or `size()` if it is 0. Tasks are
        taken from the iterable as needed, one ahead of those in progress. An exception in `work` is raised here and
        ends all workers.

        If a worker process dies (out of memory, a crash in native code), it is replaced and its task repeated, at most
        `tries` times in all; then `lost(task, reason)` supplies the result. Without `lost`, or if workers keep dying
        and no task completes, `VdeError` is raised.

        A worker is replaced after `recycled` tasks (0: never), for work that leaks memory. With `gpus` each worker sees
        one GPU. Closing the iterator stops the workers.
        """

    def close(self) -> None:  # noqa: B027 (optional)
        """Release what the engine started."""

    def __enter__(self) -> Self:
        """Return the engine, which is closed at the end of the block."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the engine."""
        self.close()
