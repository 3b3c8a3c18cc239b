"""Tasks spread over this machine's processors and GPUs."""

from __future__ import annotations

import multiprocessing
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from multiprocessing.connection import wait
from pickle import dumps
from weakref import finalize

from vdebench.errors import VdeError
from vdebench.parallel.engine import Engine, Result, Task
from vdebench.parallel.scheduler import Scheduler, Worker, WorkerPool
from vdebench.parallel.worker_process import start

ONE_PROCESSOR = dict.fromkeys(
    (
        *("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "RAYON_NUM_THREADS"),
        *("NUMBA_NUM_THREADS", "OPENCV_FOR_THREADS_NUM", "POLARS_MAX_THREADS"),
    ),
    "1",
)
"""So that as many workers as there are processors do not fight for them."""
_PATIENCE = 5.0
"""Seconds that a worker has for leaving before it is killed."""
_LOOK = 1.0
"""Seconds after which workers that say nothing are checked: a process that one has forked may hold its line open."""


def usable_processors() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def usable_gpus() -> list[str]:
    """GPUs this process may use, as CUDA_VISIBLE_DEVICES names them: those it names, else all that nvidia-smi lists."""
    chosen = os.environ.get("CUDA_VISIBLE_DEVICES")
    if chosen is not None:
        return [name.strip() for name in chosen.split(",") if name.strip() not in ("", "-1", "NoDevFiles")]
    if shutil.which("nvidia-smi") is None:
        return []
    try:
        listed = subprocess.run(["nvidia-smi", "-L"], capture_output=True, text=True, timeout=60, check=True).stdout
    except (OSError, subprocess.SubprocessError):
        return []
    return [str(number) for number, _ in enumerate(line for line in listed.splitlines() if line.startswith("GPU "))]


class LocalEngine(Engine):
    """Processes of this machine."""

    name = "local"

    def __init__(self, address: str = "") -> None:
        if address:
            raise VdeError(f"--address {address} is that of a Ray cluster: say --engine ray, or leave it out")

    def size(self, *, gpus: bool = False) -> int:
        """Processors that may be used; with `gpus` how many there are, one where there are none."""
        return max(1, len(usable_gpus())) if gpus else usable_processors()

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
        """Results as they come, in no order; see `Engine.spread`."""
        devices = usable_gpus() if gpus else []
        workers = workers or self.size(gpus=gpus)
        if workers <= 1 and not gpus:
            yield from map(work, tasks)
            return
        crew = _ProcessPool(dumps(work), devices, {} if gpus else ONE_PROCESSOR)
        most = min(workers, max(1, len(devices))) if gpus else workers
        yield from Scheduler(crew, tasks, most, recycled=recycled, lost=lost, tries=tries).results()


LOCAL: Engine = LocalEngine()


def spread(work: Callable[[Task], Result], tasks: Iterable[Task], workers: int, recycled: int = 0) -> Iterator[Result]:
    """Results of this machine as they come, in no order; one worker means no other process.

    >>> sorted(spread(abs, [-2, 1], workers=1))
    [1, 2]
    """
    return LOCAL.spread(work, tasks, max(1, workers), recycled=recycled)


class _ProcessWorker(Worker):
    """A process and the line to it."""

    def __init__(self, work: bytes, environment: Mapping[str, str]) -> None:
        self.at_work = True  # it gets itself ready
        self.line, theirs = multiprocessing.Pipe()
        with theirs:  # closed here, so that the worker's death closes the line
            self.process = start(theirs, environment)
        with suppress(OSError):  # it has died at once, which is heard when we listen
            self.line.send_bytes(work)

    def give(self, task: bytes) -> None:
        """Give it a task; it has none."""
        self.at_work = True
        with suppress(OSError):  # it has just died, which is heard when we listen
            self.line.send_bytes(task)

    def answer(self) -> bytes | str:
        """What it says, or how it died."""
        self.at_work = False
        try:
            if self.line.poll():
                return self.line.recv_bytes()
        except (EOFError, OSError):
            pass
        self.line.close()
        self.gone_by(time.monotonic() + 1)
        code = self.process.returncode or 0
        if code < 0:
            name = next((each.name for each in signal.Signals if each == -code), f"signal {-code}")
            return f"killed by {name}" + (" (out of memory?)" if code == -signal.SIGKILL else "")
        return f"ended with code {code}"

    def let_go(self) -> None:
        """Tell it to leave: a closed line ends one that waits for a task."""
        self.line.close()
        if self.at_work:
            self.process.terminate()

    def gone_by(self, moment: float) -> None:
        """Wait until it has exited; kill it at that moment (`time.monotonic`)."""
        try:
            self.process.wait(max(0.0, moment - time.monotonic()))
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    @property
    def has_exited(self) -> bool:
        """Whether the process has ended."""
        return self.process.poll() is not None


class _ProcessPool(WorkerPool):
    """One process per worker, each with a line of its own; so one that dies takes nothing along."""

    def __init__(self, work: bytes, devices: Sequence[str], variables: Mapping[str, str]) -> None:
        self._work = work
        self._free = list(devices)
        self._device: dict[_ProcessWorker, str] = {}
        self._variables = variables
        self._all: list[_ProcessWorker] = []
        # Also where a program ends while somebody still holds the results.
        self._at_exit = finalize(self, _end_all, self._all)

    def start(self) -> _ProcessWorker:
        """A new process, with a GPU of its own where there are any."""
        self._all[:] = [worker for worker in self._all if not (worker.line.closed and worker.has_exited)]
        device = self._free.pop() if self._free else None
        gpu = {"CUDA_VISIBLE_DEVICES": device} if device else {}
        worker = _ProcessWorker(self._work, {**self._variables, **os.environ, **gpu})  # what the user has set stays
        self._all.append(worker)
        if device:
            self._device[worker] = device
        return worker

    def listen(self, workers: Sequence[Worker]) -> list[tuple[Worker, bytes | str]]:
        """Wait for messages; give (worker, answer) pairs, and (worker, how it died) for those that exited."""
        ours = [worker for worker in workers if isinstance(worker, _ProcessWorker)]
        heard: list[tuple[Worker, bytes | str]] = []
        while not heard:
            ready = wait([worker.line for worker in ours], _LOOK)
            for worker in ours:
                if worker.line in ready or worker.has_exited:
                    answer = worker.answer()
                    heard.append((worker, answer))
                    if isinstance(answer, str):
                        self._forget(worker)
        return heard

    def end(self, worker: Worker) -> None:
        """Let a worker go; its GPU is free when it is gone."""
        assert isinstance(worker, _ProcessWorker)
        worker.let_go()
        if worker in self._device:
            worker.gone_by(time.monotonic() + _PATIENCE)
            self._forget(worker)

    def _forget(self, worker: _ProcessWorker) -> None:
        self._all.remove(worker)
        if device := self._device.pop(worker, None):
            self._free.append(device)

    def close(self) -> None:
        """End all workers now."""
        self._at_exit()


def _end_all(workers: list[_ProcessWorker]) -> None:
    for worker in workers:
        worker.let_go()
    moment = time.monotonic() + _PATIENCE
    for worker in workers:
        worker.gone_by(moment)
