"""A real Ray: the same results as on this machine, also when workers are killed on the way."""

from __future__ import annotations

import hashlib
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from tests.parallel.test_engines import die_on_three, die_once, fail, square
from tests.plugins import register
from vdebench import load_suite
from vdebench.errors import InputError, MissingPartError, VdeError
from vdebench.parallel.engines import get_engine
from vdebench.parallel.ray import _actor_environment
from vdebench.pipeline.run import run
from vdebench.readers.cached import CachedReader

FILES = ("scores.parquet", "blocks.parquet", "regions.parquet", "summary.json", "reference/scores.parquet")
SLIDES = (  # overlay edits all but one
    "typeset:n=24,seed=1,kinds=PPT2PDF,languages=en,ppi=50,operations=text_replace+text_delete+text_insert"
)


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    """One for all: Ray keeps a token in the user's folder, and a process that has seen it keeps to it."""
    pytest.importorskip("ray")
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("HOME", str(tmp_path_factory.mktemp("home")))
        patched.delenv("RAY_ADDRESS", raising=False)
        yield


def content(run: Path) -> dict[str, str]:
    return {name: hashlib.sha256((run / name).read_bytes()).hexdigest() for name in FILES}


def actors(of: int) -> list[int]:
    """Processes in which the actors of some process's Ray run."""
    parents, found = {}, []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            parents[int(folder.name)] = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
            if (folder / "cmdline").read_bytes().startswith(b"ray::_TaskActor"):
                found.append(int(folder.name))
        except OSError:
            continue

    def ours(process: int) -> bool:
        return process == of or (process in parents and ours(parents[process]))

    return [process for process in found if ours(process)]


def test_without_ray_it_is_said_how_to_get_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(MissingPartError, match=r'pip install "vdebench\[ray\]"'):
        get_engine("ray")


def test_settings_are_passed_on_and_secrets_are_not(monkeypatch):
    monkeypatch.setenv("VDE_CACHE", "/kept")
    monkeypatch.setenv("VDE_VLM_KEY", "secret")
    monkeypatch.setenv("OPENAI_API_KEY", "secret")
    passed = _actor_environment({"OMP_NUM_THREADS": "1"})
    assert passed["VDE_CACHE"] == "/kept"
    assert passed["OMP_NUM_THREADS"] == "1"
    assert str(Path(__file__).parents[2]) in passed["PYTHONPATH"].split(os.pathsep)
    assert "secret" not in passed.values()


@pytest.mark.slow
@pytest.mark.usefixtures("home")
def test_tasks_are_spread_as_they_are_here(tmp_path, monkeypatch):
    monkeypatch.setenv("VDE_MARK", "passed on")
    with get_engine("ray") as engine:
        assert engine.size() == len(os.sched_getaffinity(0))
        assert engine.machines == engine.size(gpus=True) == 1
        assert sorted(engine.map_tasks(square, range(20), 2)) == [number * number for number in range(20)]
        assert len({process for process, *_ in engine.map_tasks(about, range(4), 1, max_tasks_per_worker=2)}) == 2
        assert next(engine.map_tasks(about, [0], 1))[1:] == (str(Path.cwd()), "passed on", "1")
        found = list(engine.map_tasks(die_on_three, range(6), 2, on_lost=lambda task, reason: (task, reason)))
        assert [task for task, *_ in filter(lambda each: isinstance(each, tuple), found)] == [3]
        assert sorted(each for each in found if isinstance(each, int)) == [0, 1, 2, 4, 5]
        assert list(engine.map_tasks(die_once, [tmp_path / "mark"], 1, attempts=2)) == ["mark"]
        with pytest.raises(InputError, match="cannot be read"):
            list(engine.map_tasks(fail, [7]))
        with pytest.raises(VdeError, match="a worker process died"):
            list(engine.map_tasks(die_on_three, [3], 1))
    assert actors(os.getpid()) == []


def about(number: int) -> tuple[int, str, str, str]:
    return os.getpid(), str(Path.cwd()), os.environ["VDE_MARK"], os.environ["OMP_NUM_THREADS"]


@pytest.mark.slow
@pytest.mark.usefixtures("home")
def test_samples_through_ray_with_killed_workers_equal_those_of_this_machine(tmp_path, monkeypatch):
    """Overlay, a quick reader, strict; a worker is killed while pages are read, another while they are scored."""
    register(tmp_path / "site", "readers", shapes="tests.plugins:ShapesReader")
    monkeypatch.syspath_prepend(tmp_path / "site")
    monkeypatch.setattr(
        "vdebench.pipeline.scoring.workers.SERIAL_SECONDS", 0.0
    )  # so few samples would be scored in this process
    suite = load_suite(SLIDES)
    suite.prepare()
    killed = []

    def killing(title: str) -> Callable[[int, int], None] | None:
        def told(done: int, total: int) -> None:
            if done == 8 and not title.endswith("editing"):
                process = actors(os.getpid())[0]
                os.kill(process, signal.SIGKILL)
                killed.append((title, process))

        return told

    outs = {}
    for name in ("local", "ray"):
        cache = tmp_path / f"cache-{name}"
        monkeypatch.setenv("VDE_CACHE", str(cache))
        with get_engine(name) as engine:
            bar = killing if name == "ray" else (lambda title: None)
            run(suite, ["overlay"], tmp_path / name, reader=CachedReader.named("shapes"), engine=engine, bar=bar)
        outs[name] = content(tmp_path / name / "overlay/strict")
        pages = (tmp_path / name / "overlay/images").rglob("*.png")
        outs[name] |= {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in pages}
    assert [title for title, _ in killed] == ["overlay: reading", "overlay by strict"]
    assert outs["local"] == outs["ray"]
    assert len(outs["ray"]) > len(FILES) + 20  # tables, and the images of what overlay did not refuse


@pytest.mark.slow
@pytest.mark.usefixtures("home")
def test_a_cluster_by_its_address():
    """Started as an administrator would, joined by its address, and there when we are gone."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    address = f"127.0.0.1:{port}"
    how = ["--head", f"--port={port}", "--num-cpus=2", "--include-dashboard=false", "--node-ip-address=127.0.0.1"]
    command = [str(Path(sys.executable).parent / "ray"), "start", "--block", *how]
    with subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
    ) as head:
        try:
            joined = 0
            deadline = time.monotonic() + 120
            while joined < 2 and time.monotonic() < deadline:  # leaving it does not end it
                with suppress(VdeError), get_engine("ray", address) as engine:  # it may not be there yet
                    assert engine.size() == 2
                    assert sorted(engine.map_tasks(square, range(5), 2)) == [0, 1, 4, 9, 16]
                    joined += 1
            assert joined == 2
        finally:
            os.killpg(head.pid, signal.SIGTERM)
