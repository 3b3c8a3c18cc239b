"""Tasks on worker processes of this machine."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from vdebench.errors import InputError, VdeError
from vdebench.parallel import scheduler
from vdebench.parallel.engines import LOCAL, get_engine
from vdebench.parallel.local import map_tasks, usable_gpus


def square(number: int) -> int:
    return number * number


def fail(number: int) -> int:
    raise InputError(f"{number}.png: cannot be read")


def die(number: int) -> int:
    os.kill(os.getpid(), signal.SIGKILL)
    return number


def die_on_three(number: int) -> int:
    return die(number) if number == 3 else number


def die_once(mark: Path) -> str:
    if not mark.exists():
        mark.touch()
        os.abort()
    return mark.name


def process_and_settings(number: int) -> tuple[int, int, str, str]:
    if number == 0:
        time.sleep(1.5)
    return number, os.getpid(), os.environ.get("OMP_NUM_THREADS", ""), os.environ.get("CUDA_VISIBLE_DEVICES", "")


def gpu_of(folder: Path) -> tuple[int, str]:
    """Whose GPU it is, once two workers are there: on a busy machine one could do it all before the other begins."""
    (folder / str(os.getpid())).touch()
    until = time.monotonic() + 60
    while len(list(folder.iterdir())) < 2 and time.monotonic() < until:
        time.sleep(0.01)
    return os.getpid(), os.environ["CUDA_VISIBLE_DEVICES"]


def children() -> set[int]:
    """Processes that this one has started and that have not been waited for, zombies included."""
    return {
        int(entry.name)
        for entry in Path("/proc").iterdir()
        if entry.name.isdigit() and _parent_of(entry) == os.getpid()
    }


def _parent_of(process: Path) -> int:
    try:
        return int((process / "stat").read_text().rpartition(")")[2].split()[1])
    except OSError:
        return 0


class Unloadable:
    """Work that another process cannot load."""

    def __reduce__(self) -> tuple[object, ...]:
        return fail, (7,)

    def __call__(self, number: int) -> int:
        return number


@pytest.mark.parametrize("workers", [1, 2])
def test_all_results_come_once(workers):
    before = children()
    assert sorted(map_tasks(square, range(50), workers)) == [number * number for number in range(50)]
    assert children() == before


def test_tasks_are_taken_as_they_are_needed_and_an_end_is_an_end():
    """A million tasks are not laid out beforehand; who closes the results has no process left."""
    taken = []

    def tasks():
        for number in range(1_000_000):
            taken.append(number)
            yield number

    before = children()
    results = LOCAL.map_tasks(square, tasks(), 2)
    assert next(results) in (0, 1)
    assert len(taken) <= 2 + 2 + 1  # two under way, two more when these are done, one ahead
    results.close()
    assert children() == before


def test_no_task_starts_no_process(monkeypatch):
    monkeypatch.setattr(scheduler.Scheduler, "_receive", lambda self: pytest.fail("nothing to wait for"))
    assert list(LOCAL.map_tasks(square, [], 2)) == []


def test_an_error_is_told_as_it_is():
    with pytest.raises(InputError, match=r"7\.png: cannot be read"):
        list(map_tasks(fail, [7, 8], 1))
    with pytest.raises(InputError, match="png: cannot be read") as found:
        list(map_tasks(fail, [7, 8], 2))
    assert "in fail" in found.value.__notes__[0]  # where it was raised
    with pytest.raises(InputError, match=r"7\.png"):
        list(map_tasks(Unloadable(), [1, 2], 2))


def test_a_worker_that_dies_loses_one_task():
    found = list(LOCAL.map_tasks(die_on_three, range(8), 2, on_lost=lambda task, reason: (task, reason)))
    assert [each for each in found if isinstance(each, tuple)] == [(3, "killed by SIGKILL (out of memory?)")]
    assert sorted(each for each in found if isinstance(each, int)) == [0, 1, 2, 4, 5, 6, 7]


def test_a_task_is_tried_again_where_asked(tmp_path):
    assert list(LOCAL.map_tasks(die_once, [tmp_path / "mark"], 2, attempts=2)) == ["mark"]


def test_workers_that_all_die_are_given_up(monkeypatch):
    with pytest.raises(VdeError, match="a worker process died: killed by SIGKILL"):
        list(map_tasks(die, range(4), 2))
    monkeypatch.setattr(scheduler, "MAX_DEATHS", 1)
    given = iter(range(1_000_000))
    with pytest.raises(VdeError, match="3 worker processes died in a row"):
        list(LOCAL.map_tasks(die, given, 2, on_lost=lambda task, reason: task))
    assert next(given) < 10


def kill_the_other(folder: Path) -> str:
    """The first worker waits until the other has nothing to do, kills it, and dies too."""
    mark = folder / "first"
    try:
        mark.touch(exist_ok=False)
    except FileExistsError:
        (folder / f"{os.getpid()}.pid").touch()
        return "done"
    while not (others := list(folder.glob("*.pid"))):
        time.sleep(0.05)
    time.sleep(0.5)  # its answer is heard, and there is no third task
    os.kill(int(others[0].stem), signal.SIGKILL)
    return str(die(0))


def test_a_worker_killed_while_it_waits_is_noticed(tmp_path):
    """The task of the first is given to the second, which is dead, and then to a third."""
    before = children()
    assert list(LOCAL.map_tasks(kill_the_other, [tmp_path] * 2, 2, attempts=3)) == ["done", "done"]
    assert children() == before


def die_with_a_child(folder: Path) -> None:
    """Leave a process behind that holds a copy of all that is open here."""
    pid = os.fork()
    if not pid:
        time.sleep(60)
        os._exit(0)
    (folder / "child").write_text(str(pid))
    die(0)


def test_a_dead_worker_is_noticed_though_its_child_lives(tmp_path):
    begun = time.monotonic()
    try:
        with pytest.raises(VdeError, match="killed by SIGKILL"):
            list(LOCAL.map_tasks(die_with_a_child, [tmp_path] * 2, 2))
        assert time.monotonic() - begun < 20
    finally:
        os.kill(int((tmp_path / "child").read_text()), signal.SIGKILL)


def test_each_process_is_replaced_after_its_tasks_without_waiting_for_the_others():
    """The first task takes long: meanwhile the other worker is replaced again and again."""
    before = dict(os.environ)
    found = list(LOCAL.map_tasks(process_and_settings, range(6), 2, max_tasks_per_worker=2))
    by_process = {process: [number for number, of, *_ in found if of == process] for _, process, *_ in found}
    assert sorted(number for number, *_ in found) == list(range(6))
    assert all(len(numbers) <= 2 for numbers in by_process.values())
    assert len(by_process) >= 3
    assert {threads for _, _, threads, _ in found} == {os.environ.get("OMP_NUM_THREADS", "1")}
    assert dict(os.environ) == before


def test_each_worker_has_a_gpu_of_its_own(monkeypatch, tmp_path):
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "4,GPU-7")
    assert LOCAL.size(gpus=True) == 2
    found = list(LOCAL.map_tasks(gpu_of, [tmp_path] * 12, 5, gpus=True))
    assert len(set(found)) == 2  # two GPUs, two workers
    assert {gpu for _, gpu in found} == {"4", "GPU-7"}
    assert os.environ["CUDA_VISIBLE_DEVICES"] == "4,GPU-7"


def test_without_a_gpu_one_process_holds_the_model(monkeypatch):
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    found = LOCAL.map_tasks(process_and_settings, range(6), 3, gpus=True)
    assert len({process for _, process, *_ in found} - {os.getpid()}) == 1


def test_gpus_are_counted(monkeypatch, tmp_path):
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    assert usable_gpus() == []
    assert LOCAL.size(gpus=True) == 1
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES")
    monkeypatch.setenv("PATH", str(tmp_path))
    assert usable_gpus() == []
    program = tmp_path / "nvidia-smi"
    program.write_text(
        "#!/bin/sh\necho 'GPU 0: A100 (UUID: GPU-1)'\necho '  MIG 1g'\necho 'GPU 1: A100 (UUID: GPU-2)'\n"
    )
    program.chmod(0o755)
    assert usable_gpus() == ["0", "1"]
    program.write_text("#!/bin/sh\nexit 9\n")
    assert usable_gpus() == []


SCRIPT = """
import os, signal, sys, time
from vdebench.parallel.engines import LOCAL
from tests.parallel.test_engines import rest

if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.default_int_handler)  # tests that run in the background ignore it
    for pid in LOCAL.map_tasks(rest, range(100), 2):
        print(pid, flush=True)
"""


def rest(number: int) -> int:
    time.sleep(0 if number < 2 else 60)
    return os.getpid()


def running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_no_worker_outlives_its_parent(tmp_path, number):
    """Ctrl-C goes to all processes of a terminal: the parent decides, its workers print no traceback."""
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    told = subprocess.PIPE
    with subprocess.Popen(
        [sys.executable, script], env=environment, stdout=told, stderr=told, text=True, start_new_session=True
    ) as program:
        assert program.stdout is not None
        workers = {int(program.stdout.readline()) for _ in range(2)}
        if number == signal.SIGINT:
            os.killpg(program.pid, number)
        else:
            program.kill()
        start = time.monotonic()
        _, errors = program.communicate(timeout=20)
    assert time.monotonic() - start < 5
    deadline = time.monotonic() + 5
    while any(map(running, workers)) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not any(map(running, workers))
    if number == signal.SIGINT:
        assert errors.count("Traceback") == 1
        assert "KeyboardInterrupt" in errors


def test_engines_by_name():
    assert get_engine("local").name == "local"
    assert LOCAL.worker_count(3) == 3
    assert 1 <= LOCAL.worker_count() <= 8
    with pytest.raises(VdeError, match="--engine ray"):
        get_engine("local", "auto")
    with pytest.raises(VdeError, match="no engine is called 'slurm'"):
        get_engine("slurm")
