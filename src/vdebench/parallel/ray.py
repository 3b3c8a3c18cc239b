"""Tasks spread over a Ray cluster, or over a Ray of this machine: one actor per worker (extra `ray`)."""

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
from vdebench.parallel.scheduler import READY, Scheduler, TaskRunner, Worker, WorkerPool, raised

INSTALL = 'pip install "vdebench[ray]"'
_SECRET = re.compile("KEY|TOKEN|SECRET|PASSWORD")


class RayEngine(Engine):
    """A cluster by its address, or that of RAY_ADDRESS; without one a Ray that is started here and ended with this."""

    name = "ray"
    shares_disk = False

    def __init__(self, address: str = "") -> None:
        self.address = address or os.environ.get("RAY_ADDRESS", "")
        self._started = False
        self._ray = _ray()

    def size(self, *, gpus: bool = False) -> int:
        """Processors of the cluster; with `gpus` its GPUs, one where it has none."""
        return max(1, self._has("GPU" if gpus else "CPU"))

    @property
    def machines(self) -> int:
        """Machines of the cluster."""
        return max(1, len([node for node in self._cluster().nodes() if node["Alive"]]))

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
        """Results as they come, in no order; see `Engine.spread`. One worker is an actor too."""
        devices = self._has("GPU") if gpus else 0
        workers = workers or self.size(gpus=gpus)
        most = min(workers, max(1, devices)) if gpus else workers
        crew = _RayWorkerPool(self._cluster(), dumps(work), on_gpus=devices > 0)
        yield from Scheduler(crew, tasks, most, recycled=recycled, lost=lost, tries=tries).results()

    def close(self) -> None:
        """End the Ray that was started here; of a cluster, let go."""
        if self._started:
            self._ray.shutdown()
            self._started = False

    def _has(self, resource: str) -> int:
        return int(self._cluster().cluster_resources().get(resource, 0))

    def _cluster(self) -> Any:
        """Ray, connected."""
        if self._ray.is_initialized():  # by us, or by the program that calls us
            return self._ray
        how: dict[str, Any] = {"logging_level": logging.ERROR, "log_to_driver": False}
        if self.address:
            how["address"] = self.address
        else:
            ours = {"num_cpus": usable_processors(), "num_gpus": len(usable_gpus())}
            how |= {"address": "local", **ours, "include_dashboard": False}
        try:
            self._ray.init(**how)
        except (ConnectionError, ValueError, RuntimeError, TimeoutError) as error:
            where = f"the Ray cluster {self.address}" if self.address else "a Ray of this machine"
            raise VdeError(f"{where} cannot be reached: {error}\n  see `ray status`, or use --engine local") from None
        self._started = True
        return self._ray


def _ray() -> Any:
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")  # workers without a GPU keep their environment
    try:
        import ray
    except ImportError:
        raise MissingPartError(f"the engine ray is not installed\n  {INSTALL}") from None
    return ray


class _TaskActor:
    """What runs in an actor: anything that can be pickled, from the folder in which the run was started."""

    def __init__(self, work: bytes, folder: str) -> None:
        with suppress(OSError):  # another machine need not have it
            os.chdir(folder)
        self._content = work
        self._doing: TaskRunner | None = None

    def ready(self) -> bytes:
        """Load the work."""
        try:
            self._doing = TaskRunner(self._content)
        except Exception as error:
            return raised(error)
        return READY

    def answer(self, task: bytes) -> bytes:
        """What the work makes of a task, or what it raised."""
        assert self._doing is not None
        return self._doing.answer(task)


class _RayWorker(Worker):
    """An actor, and what it was asked last."""

    def __init__(self, handle: Any) -> None:
        self.handle = handle
        self.asked = handle.ready.remote()

    def give(self, task: bytes) -> None:
        """Give it a task; it has none."""
        self.asked = self.handle.answer.remote(task)


class _RayWorkerPool(WorkerPool):
    """Actors over all machines, with one processor each, or one GPU."""

    def __init__(self, ray: Any, work: bytes, *, on_gpus: bool) -> None:
        self._ray = ray
        variables = _variables({} if on_gpus else ONE_PROCESSOR)
        self._kind = ray.remote(_TaskActor).options(
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
        """A new actor, which the cluster starts when it has room."""
        worker = _RayWorker(self._kind.remote(self._work, str(Path.cwd())))
        self._all.append(worker)
        return worker

    def listen(self, workers: Sequence[Worker]) -> list[tuple[Worker, bytes | str]]:
        """What those say that have something to say, or how they died."""
        asked = {worker.asked: worker for worker in workers if isinstance(worker, _RayWorker)}
        ready, _ = self._ray.wait(list(asked), num_returns=1)
        return [(asked[each], self._said(asked[each])) for each in ready]

    def _said(self, worker: _RayWorker) -> bytes | str:
        try:
            answer: bytes = self._ray.get(worker.asked)
            return answer
        except self._ray.exceptions.RayError as error:  # the actor is dead, or its machine, or what it said is lost
            self.end(worker)
            return str(error).partition("\n")[0]

    def end(self, worker: Worker) -> None:
        """End an actor."""
        assert isinstance(worker, _RayWorker)
        self._all.remove(worker)
        with suppress(Exception):  # it may be gone
            self._ray.kill(worker.handle)

    def close(self) -> None:
        """End all actors now."""
        for worker in [*self._all]:
            self.end(worker)


def _variables(others: Mapping[str, str]) -> dict[str, str]:
    """The environment of actors: our settings but for secrets, which a cluster would show, and where our code is."""
    ours = {name: value for name, value in os.environ.items() if name.startswith("VDE_") and not _SECRET.search(name)}
    here = [os.path.abspath(folder) for folder in sys.path if Path(folder).is_dir()]
    return {**others, **ours, "PYTHONPATH": os.pathsep.join(dict.fromkeys(here))}
