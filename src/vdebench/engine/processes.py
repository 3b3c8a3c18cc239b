"""Tasks spread over this machine's processors."""

from __future__ import annotations

import multiprocessing
import os
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from itertools import islice
from typing import TypeVar

from vdebench.errors import VdeError

Task = TypeVar("Task")
Result = TypeVar("Result")


def usable_processors() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def spread(work: Callable[[Task], Result], tasks: Iterable[Task], workers: int, recycled: int = 0) -> Iterator[Result]:
    """Results as they come, in no order. `work` is a function of a module; one worker means no other process.

    Only a few tasks are under way at a time, so that memory does not grow with their number. Where the work itself
    keeps memory, as engines do for every shape they see, processes are replaced after `recycled` tasks each.

    >>> sorted(spread(abs, [-2, 1], workers=1))
    [1, 2]
    """
    if workers <= 1:
        yield from map(work, tasks)
        return
    if not recycled:
        yield from _by_processes(work, tasks, workers)
        return
    waiting = iter(tasks)
    while batch := list(islice(waiting, recycled * workers)):
        yield from _by_processes(work, batch, workers)


def _by_processes(work: Callable[[Task], Result], tasks: Iterable[Task], workers: int) -> Iterator[Result]:
    waiting = iter(tasks)
    context = multiprocessing.get_context("spawn")  # a copy of this process could hold another thread's lock
    with ProcessPoolExecutor(workers, mp_context=context, initializer=_settle, initargs=(os.getpid(),)) as pool:
        under_way: set[Future[Result]] = {pool.submit(work, task) for task in islice(waiting, 2 * workers)}
        try:
            while under_way:
                done, under_way = wait(under_way, return_when=FIRST_COMPLETED)
                under_way |= {pool.submit(work, task) for task in islice(waiting, len(done))}
                for future in done:
                    yield future.result()
        except BrokenProcessPool:
            raise VdeError(
                "a worker process died (out of memory?); run the same command again, perhaps with fewer workers\n"
                '  (a script of your own does its work below `if __name__ == "__main__":`)'
            ) from None
        finally:
            for future in under_way:
                future.cancel()


def _settle(parent: int) -> None:
    """One processor per worker, and no worker without its parent."""
    for name in ("RAYON_NUM_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        os.environ.setdefault(name, "1")

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(0.2)
        os._exit(1)  # the parent was killed: nobody wants the results

    threading.Thread(target=watch, daemon=True).start()
