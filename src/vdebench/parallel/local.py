"""Engine that runs tasks on the processors and GPUs of this machine."""

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
"""Environment that limits libraries to one thread, as there is one worker per processor."""
_EXIT_SECONDS = 5.0
"""Seconds a worker has to exit before it is killed."""
_POLL_SECONDS = 1.0
"""Seconds between checks of silent workers: a child process may keep the pipe of a dead worker open."""


def usable_processors() -> int:
    """Return the number of processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def usable_gpus() -> list[str]:
    """Return the GPUs this process may use, as named in CUDA_VISIBLE_DEVICES, else all that nvidia-smi lists."""
    chosen = os.environ.get("CUDA_VISIBLE_DEVICES")
    if chosen is not None:
        return [name.strip() for name in chosen.split(",") if name.strip() not in ("", "-1", "NoDevFiles")]
    if shutil.which("nvidia-smi") is None:
        return []
    try:
        output = subprocess.run(["nvidia-smi", "-L"], capture_output=True, text=True, timeout=60, check=True).stdout
    except (OSError, subprocess.SubprocessError):
        return []
    return [str(number) for number, _ in enumerate(pipe for pipe in output.splitlines() if pipe.startswith("GPU "))]


class LocalEngine(Engine):
    """Processes on this machine."""

    name = "local"

    def __init__(self, address: str = "") -> None:
        if address:
            raise VdeError(f"--address {address} is the address of a Ray cluster: add --engine ray, or omit --address")

    def size(self, *, gpus: bool = False) -> int:
        """Return the number of usable processors; with `gpus` the number of GPUs, at least 1."""
        return max(1, len(usable_gpus())) if gpus else usable_processors()

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
        """Yield results as they complete, in any order; see `Engine.map_tasks`."""
        devices = usable_gpus() if gpus else []
        workers = workers or self.size(gpus=gpus)
        if workers <= 1 and not gpus:
            yield from map(work, tasks)
            return
        pool = _ProcessPool(dumps(work), devices, {} if gpus else ONE_PROCESSOR)
        limit = min(workers, max(1, len(devices))) if gpus else workers
        yield from Scheduler(
            pool, tasks, limit, max_tasks_per_worker=max_tasks_per_worker, on_lost=on_lost, attempts=attempts
        ).results()


LOCAL: Engine = LocalEngine()


def map_tasks(
    work: Callable[[Task], Result], tasks: Iterable[Task], workers: int, max_tasks_per_worker: int = 0
) -> Iterator[Result]:
    """Yield results of local workers as they complete, in any order; one worker runs in this process.

    >>> sorted(map_tasks(abs, [-2, 1], workers=1))
    [1, 2]
    """
    return LOCAL.map_tasks(work, tasks, max(1, workers), max_tasks_per_worker=max_tasks_per_worker)


class _ProcessWorker(Worker):
    """A worker process and the pipe to it."""

    def __init__(self, work: bytes, environment: Mapping[str, str]) -> None:
        self.is_busy = True  # loading the work
        self.pipe, remote_end = multiprocessing.Pipe()
        with remote_end:  # closed here, so that the exit of the worker closes the pipe
            self.process = start(remote_end, environment)
        with suppress(OSError):  # it has already exited: `listen` reports it
            self.pipe.send_bytes(work)

    def send(self, task: bytes) -> None:
        """Send a task to an idle worker."""
        self.is_busy = True
        with suppress(OSError):  # it has just exited: `listen` reports it
            self.pipe.send_bytes(task)

    def answer(self) -> bytes | str:
        """Return its answer, or how it exited."""
        self.is_busy = False
        try:
            if self.pipe.poll():
                return self.pipe.recv_bytes()
        except (EOFError, OSError):
            pass
        self.pipe.close()
        self.join(time.monotonic() + 1)
        code = self.process.returncode or 0
        if code < 0:
            name = next((each.name for each in signal.Signals if each == -code), f"signal {-code}")
            return f"killed by {name}" + (" (out of memory?)" if code == -signal.SIGKILL else "")
        return f"ended with code {code}"

    def stop(self) -> None:
        """Ask it to exit: closing the pipe ends an idle worker, a busy one is terminated."""
        self.pipe.close()
        if self.is_busy:
            self.process.terminate()

    def join(self, deadline: float) -> None:
        """Wait until it has exited; kill it at `deadline` (`time.monotonic`)."""
        try:
            self.process.wait(max(0.0, deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    @property
    def has_exited(self) -> bool:
        """Whether the process has ended."""
        return self.process.poll() is not None


class _ProcessPool(WorkerPool):
    """One process and one pipe per worker, so that a crash affects only its own task."""

    def __init__(self, work: bytes, devices: Sequence[str], variables: Mapping[str, str]) -> None:
        self._work = work
        self._free = list(devices)
        self._device: dict[_ProcessWorker, str] = {}
        self._variables = variables
        self._all: list[_ProcessWorker] = []
        # Stops the workers at the end of the program, even if the iterator of results still exists.
        self._at_exit = finalize(self, _stop_all, self._all)

    def start(self) -> _ProcessWorker:
        """Start a process, with a GPU of its own if GPUs are used."""
        self._all[:] = [worker for worker in self._all if not (worker.pipe.closed and worker.has_exited)]
        device = self._free.pop() if self._free else None
        gpu = {"CUDA_VISIBLE_DEVICES": device} if device else {}
        worker = _ProcessWorker(
            self._work, {**self._variables, **os.environ, **gpu}
        )  # the user's settings take precedence
        self._all.append(worker)
        if device:
            self._device[worker] = device
        return worker

    def listen(self, workers: Sequence[Worker]) -> list[tuple[Worker, bytes | str]]:
        """Wait for messages; return (worker, answer) pairs and (worker, reason) for workers that exited."""
        processes = [worker for worker in workers if isinstance(worker, _ProcessWorker)]
        messages: list[tuple[Worker, bytes | str]] = []
        while not messages:
            ready = wait([worker.pipe for worker in processes], _POLL_SECONDS)
            for worker in processes:
                if worker.pipe in ready or worker.has_exited:
                    answer = worker.answer()
                    messages.append((worker, answer))
                    if isinstance(answer, str):
                        self._release(worker)
        return messages

    def stop(self, worker: Worker) -> None:
        """Stop a worker; release its GPU when it has exited."""
        assert isinstance(worker, _ProcessWorker)
        worker.stop()
        if worker in self._device:
            worker.join(time.monotonic() + _EXIT_SECONDS)
            self._release(worker)

    def _release(self, worker: _ProcessWorker) -> None:
        self._all.remove(worker)
        if device := self._device.pop(worker, None):
            self._free.append(device)

    def close(self) -> None:
        """Stop all workers."""
        self._at_exit()


def _stop_all(workers: list[_ProcessWorker]) -> None:
    for worker in workers:
        worker.stop()
    deadline = time.monotonic() + _EXIT_SECONDS
    for worker in workers:
        worker.join(deadline)
