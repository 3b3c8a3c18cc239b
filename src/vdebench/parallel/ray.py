"""Engine that runs tasks on a Ray cluster, or on a Ray started on this machine: one actor per worker.

Needs `pip install "vdebench[ray]"`. `scheduler.py` assigns the tasks; this module starts and stops the actors.
"""

from __future__ import annotations

import logging
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from pickle import dumps
from typing import Any

from vdebench.errors import MissingPartError, VdeError
from vdebench.parallel.engine import Engine, Result, Task
from vdebench.parallel.local import ONE_PROCESSOR, usable_gpus, usable_processors
from vdebench.parallel.scheduler import READY, Scheduler, TaskRunner, Worker, WorkerPool, pickled_error

INSTALL = 'pip install "vdebench[ray]"'
_SECRET = re.compile("KEY|TOKEN|SECRET|PASSWORD")


class RayEngine(Engine):
    """Uses the cluster at `address` or RAY_ADDRESS; without either, starts Ray here and shuts it down in `close`."""

    name = "ray"
    shares_disk = False

    def __init__(self, address: str = "") -> None:
        self.address = address or os.environ.get("RAY_ADDRESS", "")
        self._started = False
        self._ray = _import_ray()

    def size(self, *, gpus: bool = False) -> int:
        """Return the number of processors of the cluster; with `gpus` the number of GPUs, at least 1."""
        return max(1, self._count("GPU" if gpus else "CPU"))

    @property
    def machines(self) -> int:
        """Number of machines of the cluster."""
        return max(1, len([node for node in self._connected().nodes() if node["Alive"]]))

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
        """Yield results as they complete, in any order; see `Engine.map_tasks`. A single worker is an actor too."""
        devices = self._count("GPU") if gpus else 0
        workers = workers or self.size(gpus=gpus)
        limit = min(workers, max(1, devices)) if gpus else workers
        pool = _RayWorkerPool(self._connected(), dumps(work), on_gpus=devices > 0)
        yield from Scheduler(
            pool, tasks, limit, max_tasks_per_worker=max_tasks_per_worker, on_lost=on_lost, attempts=attempts
        ).results()

    def close(self) -> None:
        """Shut down the Ray that was started here; disconnect from a cluster."""
        if self._started:
            self._ray.shutdown()
            self._started = False

    def _count(self, resource: str) -> int:
        return int(self._connected().cluster_resources().get(resource, 0))

    def _connected(self) -> Any:
        """Return the ray module, connected to the cluster."""
        if self._ray.is_initialized():  # by this object or by the calling program
            return self._ray
        options: dict[str, Any] = {"logging_level": logging.ERROR, "log_to_driver": False}
        if self.address:
            options["address"] = self.address
        else:
            settings = {"num_cpus": usable_processors(), "num_gpus": len(usable_gpus())}
            options |= {"address": "local", **settings, "include_dashboard": False}
        try:
            self._ray.init(**options)
        except (ConnectionError, ValueError, RuntimeError, TimeoutError) as error:
            where = f"the Ray cluster {self.address}" if self.address else "Ray on this machine"
            raise VdeError(f"{where} cannot be reached: {error}\n  see `ray status`, or use --engine local") from None
        self._started = True
        return self._ray


def _import_ray() -> Any:
    """Return the ray module; raise `MissingPartError` if it is not installed."""
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")  # workers without a GPU keep their environment
    try:
        import ray
    except ImportError:
        raise MissingPartError(f"the engine ray is not installed\n  {INSTALL}") from None
    return ray


class _TaskActor:
    """Class of the actors: unpickles the work function and runs tasks, in the working directory of the run."""

    def __init__(self, work: bytes, folder: str) -> None:
        with suppress(OSError):  # the folder may not exist on another machine
            os.chdir(folder)
        self._pickled_work = work
        self._runner: TaskRunner | None = None

    def ready(self) -> bytes:
        """Unpickle the work function; return `READY` or the pickled error."""
        try:
            self._runner = TaskRunner(self._pickled_work)
        except Exception as error:
            return pickled_error(error)
        return READY

    def answer(self, task: bytes) -> bytes:
        """Run a task; return its pickled result or exception."""
        assert self._runner is not None
        return self._runner.answer(task)


class _RayWorker(Worker):
    """An actor and the reference to its pending answer."""

    def __init__(self, handle: Any) -> None:
        self.handle = handle
        self.pending = handle.ready.remote()

    def send(self, task: bytes) -> None:
        """Send a task to an idle actor."""
        self.pending = self.handle.answer.remote(task)


class _RayWorkerPool(WorkerPool):
    """Actors on all machines, each with one processor or one GPU."""

    def __init__(self, ray: Any, work: bytes, *, on_gpus: bool) -> None:
        self._ray = ray
        variables = _actor_environment({} if on_gpus else ONE_PROCESSOR)
        self._actor_class = ray.remote(_TaskActor).options(
            num_cpus=1,
            num_gpus=1 if on_gpus else 0,
            max_restarts=0,
            max_task_retries=0,
            scheduling_strategy="SPREAD",
            runtime_env={"env_vars": variables},
        )
        self._work = ray.put(work)
        self._all: list[_RayWorker] = []

    def start(self) -> _RayWorker:
        """Create an actor; the cluster starts it when resources are free."""
        worker = _RayWorker(self._actor_class.remote(self._work, str(Path.cwd())))
        self._all.append(worker)
        return worker

    def listen(self, workers: Sequence[Worker]) -> list[tuple[Worker, bytes | str]]:
        """Wait for messages; return (worker, answer) pairs and (worker, reason) for workers that exited."""
        pending = {worker.pending: worker for worker in workers if isinstance(worker, _RayWorker)}
        ready, _ = self._ray.wait(list(pending), num_returns=1)
        return [(pending[answer], self._answer_of(pending[answer])) for answer in ready]

    def _answer_of(self, worker: _RayWorker) -> bytes | str:
        try:
            answer: bytes = self._ray.get(worker.pending)
            return answer
        except self._ray.exceptions.RayError as error:  # the actor, its machine or its answer is lost
            self.stop(worker)
            return str(error).partition("\n")[0]

    def stop(self, worker: Worker) -> None:
        """Kill an actor."""
        assert isinstance(worker, _RayWorker)
        self._all.remove(worker)
        with suppress(Exception):  # it may have exited already
            self._ray.kill(worker.handle)

    def close(self) -> None:
        """Kill all actors."""
        for worker in [*self._all]:
            self.stop(worker)


def _actor_environment(extra: Mapping[str, str]) -> dict[str, str]:
    """Return the environment of actors: `extra`, VDE_ variables without secrets (a cluster shows them), module path."""
    settings = {
        name: value for name, value in os.environ.items() if name.startswith("VDE_") and not _SECRET.search(name)
    }
    folders = [os.path.abspath(folder) for folder in sys.path if Path(folder).is_dir()]
    return {**extra, **settings, "PYTHONPATH": os.pathsep.join(dict.fromkeys(folders))}
