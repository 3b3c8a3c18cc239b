"""What an engine is: work on many tasks, spread over workers. `local` is this machine, `ray` a cluster."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from typing import Self, TypeVar

Task = TypeVar("Task")
Result = TypeVar("Result")
MOST_WORKERS = 8
"""Where nobody says how many: each holds models, about a gigabyte."""


class Engine(ABC):
    """Spreads tasks over workers; the results are the same with each, whatever the number of workers."""

    name: str
    shares_disk = True
    """Whether files that a worker writes are certain to be seen here, and the other way round."""

    @abstractmethod
    def size(self, *, gpus: bool = False) -> int:
        """How many workers it can keep busy: one for each processor, or for each GPU."""

    @property
    def machines(self) -> int:
        """Over how many machines they are spread."""
        return 1

    def staff(self, asked: int = 0) -> int:
        """As many workers as were asked for; else one for each processor, at most `MOST_WORKERS` on a machine."""
        return asked or min(self.size(), MOST_WORKERS * self.machines)

    @abstractmethod
    def spread(
        self,
        work: Callable[[Task], Result],
        tasks: Iterable[Task],
        workers: int = 0,
        *,
        recycled: int = 0,
        lost: Callable[[Task, str], Result] | None = None,
        tries: int = 1,
        gpus: bool = False,
    ) -> Iterator[Result]:
        """Results as they come, in no order; tasks are taken as they are needed, one ahead of those under way.

        `work` is a function of a module, or whatever else can be pickled and called: each worker gets it once. It is
        carried out in this process where one local worker without a GPU is asked for, else in processes of its own,
        `workers` of them, as many as `size` where that is 0. What `work` raises is raised here and ends all.

        Where a worker dies on a task (out of memory, a fault in native code), a new one takes its place. The task is
        given out up to `tries` times; after that `lost(task, reason)` makes what stands for its result. Without `lost`
        it is an error; so it is where worker after worker dies and nothing gets done.

        Each worker is replaced after `recycled` tasks, where the work itself keeps memory. With `gpus` each sees one
        GPU of its own. Closing the iterator ends the workers at once.
        """

    def close(self) -> None:  # noqa: B027 (most have nothing to end)
        """End what was started for it."""

    def __enter__(self) -> Self:
        """Itself, ended with the block."""
        return self

    def __exit__(self, *_: object) -> None:
        """End what was started for it."""
        self.close()
