"""Scoring by many workers: the same bytes, whoever does the work and wherever it is kept."""

from __future__ import annotations

import hashlib
import pickle
import random
import shutil
import time
from itertools import islice
from pathlib import Path

import pytest

import vdebench.pipeline.scoring.workers
from tests import pages
from tests.colours import paint
from vdebench import score
from vdebench.errors import MissingPartError
from vdebench.parallel.engines import LOCAL, Engine
from vdebench.pipeline.scoring.image_metrics import ImageMetrics
from vdebench.pipeline.scoring.workers import in_order
from vdebench.readers import cached
from vdebench.readers.cached import CachedReader
from vdebench.readers.reader import READERS

FILES = ("scores.parquet", "blocks.parquet", "regions.parquet", "summary.json", "reference/scores.parquet")

RELEASE = "vde-release"


def content(run: Path) -> dict[str, str]:
    return {name: hashlib.sha256((run / name).read_bytes()).hexdigest() for name in FILES if (run / name).exists()}


class Elsewhere(Engine):
    """Another machine, as one process plays it: all goes there by pickle, into a cache of its own, in any order."""

    name = "elsewhere"
    shares_disk = False

    def __init__(self, monkeypatch, cache: Path, loses: int | None = None) -> None:
        self.monkeypatch, self.cache, self.loses = monkeypatch, cache, loses
        self.done: list[str] = []

    def size(self, *, gpus=False):
        return 3

    def map_tasks(self, work, tasks, workers=0, *, max_tasks_per_worker=0, on_lost=None, attempts=1, gpus=False):
        sent = pickle.dumps(work)
        left = iter(tasks)
        while some := list(islice(left, 4)):
            random.Random(1).shuffle(some)
            for task in some:
                if getattr(task, "number", None) == self.loses is not None:
                    yield on_lost(task, "killed by SIGKILL")
                    continue
                with self.monkeypatch.context() as there:
                    there.setenv("VDE_CACHE", str(self.cache))
                    result = pickle.dumps(pickle.loads(sent)(pickle.loads(pickle.dumps(task))))
                self.done.append(type(task).__name__)
                yield pickle.loads(result)


@pytest.fixture
def at_once(monkeypatch):
    """Workers are asked from the third sample on."""
    monkeypatch.setattr(vdebench.pipeline.scoring.workers, "SERIAL_SECONDS", 0)


@pytest.fixture
def coloured(make, monkeypatch):
    """Pages in colours: one is broken, one is missing, one cannot be compared."""
    monkeypatch.setitem(READERS, "colour", "tests.colours:ColourReader")
    suite, editor = make(9)
    for index in range(8):
        paint(editor / f"page_{index}.png", index + index % 2)
    (editor / "page_3.png").write_bytes(b"no image")
    (suite / "images/page_5.png").write_bytes(b"nor this")
    yield suite, editor
    cached._reader_in_worker.cache_clear()


@pytest.mark.usefixtures("at_once")
def test_two_processes_write_the_same_bytes_as_one(tmp_path):
    """By a protocol that holds functions without a name, which goes to workers by its own."""
    suite = pages.write_suite(tmp_path / "suite", pages.random_pairs(3, 12))
    (suite / "pred/page_4.json").unlink()
    (suite / "pred/page_7.json").write_text("{")
    calls = []
    for workers in (1, 2):
        out = tmp_path / f"{workers}"
        score(suite, suite / "pred", protocol=RELEASE, out=out, workers=workers, progress=lambda *at: calls.append(at))
    assert content(tmp_path / "1") == content(tmp_path / "2")
    assert calls == [(done, 12) for done in range(1, 13)] * 2
    again = score(suite, suite / "pred", protocol=RELEASE, out=tmp_path / "2", workers=2)  # only what failed
    assert content(tmp_path / "1") == content(tmp_path / "2")
    assert again.summary["coverage"] == {"samples": 12, "scored": 10, "missing": 1, "failed": 1}


@pytest.mark.usefixtures("at_once")
def test_a_machine_with_a_cache_of_its_own_gives_the_same_bytes(coloured, tmp_path, monkeypatch):
    suite, editor = coloured
    options = {"metrics": ("psnr", "ssim"), "editor": "colours"}
    reader = CachedReader.named("colour", root=tmp_path / "alone")
    score(suite, editor, reader=reader, out=tmp_path / "here", workers=1, **options)
    engine = Elsewhere(monkeypatch, tmp_path / "there")
    score(suite, editor, reader=CachedReader.named("colour"), out=tmp_path / "run", engine=engine, **options)
    assert content(tmp_path / "here") == content(tmp_path / "run")
    assert engine.done.count("ScoringTask") == 9 - 2 + len(reading_of_references(tmp_path / "run")) - 2
    assert engine.done.count("_Task") == reader.reader.reads + 2  # two could not be opened
    # Another one, whose cache is empty, reads nothing: what was read is here, and goes along.
    cached._reader_in_worker.cache_clear()
    shutil.rmtree(tmp_path / "there")
    monkeypatch.setattr("tests.colours.ColourReader.read", lambda *_: pytest.fail("read again"))
    engine = Elsewhere(monkeypatch, tmp_path / "there")
    score(suite, editor, reader=CachedReader.named("colour"), out=tmp_path / "again", engine=engine, **options)
    assert content(tmp_path / "here") == content(tmp_path / "again")


def reading_of_references(run: Path):
    import polars as pl

    return pl.read_parquet(run / "reference/scores.parquet")["sample"].unique()


@pytest.mark.usefixtures("at_once")
def test_a_sample_on_which_workers_die_is_a_failure(coloured, tmp_path, monkeypatch):
    suite, editor = coloured
    reader = CachedReader.named("colour")
    found = score(
        suite,
        editor,
        reader=reader,
        metrics=(),
        out=tmp_path / "run",
        engine=Elsewhere(monkeypatch, tmp_path / "there", 2),
    )
    reasons = dict(found.failures)
    assert reasons["text/2"] == "sample text/2: its worker process died twice: killed by SIGKILL"
    assert set(reasons) == {"text/2", "text/3", "text/5"}  # of 5 the reference cannot be read
    second = score(suite, editor, reader=reader, metrics=(), out=tmp_path / "run", workers=1)
    assert set(dict(second.failures)) == {"text/3", "text/5"}


def test_unpicklable_reader_is_scored_in_process(coloured, tmp_path, monkeypatch):
    """A reader without a name, or a short job, asks no worker."""
    suite, editor = coloured
    engine = Elsewhere(monkeypatch, tmp_path / "there")
    from tests.colours import ColourReader

    score(suite, editor, reader=CachedReader.named("colour"), metrics=(), engine=engine)
    assert "ScoringTask" not in engine.done  # nine samples of a few milliseconds
    monkeypatch.setattr(vdebench.pipeline.scoring.workers, "SERIAL_SECONDS", 0)
    engine.done.clear()
    score(suite, editor, reader=CachedReader(ColourReader()), metrics=(), engine=engine)
    assert engine.done == []


def test_a_slow_first_sample_starts_no_workers(tmp_path, monkeypatch):
    """The first sample pays for imports and compilation; its time does not predict that of the other eleven."""
    suite = pages.write_suite(tmp_path / "suite", pages.random_pairs(3, 12))
    monkeypatch.setattr(vdebench.pipeline.scoring.workers, "SERIAL_SECONDS", 0.3)
    real, begun = vdebench.pipeline.scoring.workers.score_sample, []

    def slow_once(*of):
        if not begun:
            begun.append(time.sleep(1))
        return real(*of)

    monkeypatch.setattr(vdebench.pipeline.scoring.workers, "score_sample", slow_once)
    engine = Elsewhere(monkeypatch, tmp_path / "there")
    assert score(suite, suite / "pred", engine=engine).summary["coverage"]["scored"] == 12
    assert engine.done == []


def test_results_are_put_in_order():
    assert list(in_order(iter([(2, "c"), (0, "a"), (1, "b"), (3, "d")]))) == [(0, "a"), (1, "b"), (2, "c"), (3, "d")]


def test_another_version_on_a_worker_is_refused(monkeypatch):
    monkeypatch.setitem(READERS, "colour", "tests.colours:ColourReader")
    sent = pickle.dumps([CachedReader.named("colour"), ImageMetrics(["psnr"])])
    reader, measures = pickle.loads(sent)
    assert (reader.choice, measures.identity) == (("colour", ()), "mse-1")
    cached._reader_in_worker.cache_clear()
    monkeypatch.setattr("tests.colours.ColourReader.identity", {"name": "colour", "version": "2"})
    with pytest.raises(MissingPartError, match=r"a worker has the reader colour@2#.*, expected colour@1#"):
        pickle.loads(sent)
    cached._reader_in_worker.cache_clear()
    with pytest.raises(MissingPartError, match="expected mse-0"):
        pickle.loads(pickle.dumps(ImageMetrics(["psnr"])).replace(b"mse-1", b"mse-0"))


def test_the_default_engine_is_this_machine():
    assert LOCAL.shares_disk
