"""Samples per second of reading and scoring, by one worker and by several: typeset pages, rapidocr, strict, no cache.

python benchmarks/workers.py [--samples 40] [--ppi 100] [--workers 2] [--repeats 1] [--engine local] [--kinds PPT2PDF]

  one     one worker with one processor and one thread
  threads one worker with all processors: what the libraries make of them
  many    as many workers as asked for, one thread each

Each run is a new process with an empty cache; its seconds count from the call of `score` to its end, the start of
workers and the loading of models included; processor time is that of the whole process and its workers. The tables must be the same, byte for byte. An idle machine is assumed: the
load before each run is printed.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

TABLES = ("scores.parquet", "blocks.parquet", "regions.parquet", "summary.json")
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OPENCV_FOR_THREADS_NUM")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--samples", type=int, default=40)
    parser.add_argument("--ppi", type=int, default=100)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--repeats", type=int, default=1)
    parser.add_argument("--engine", default="local")
    parser.add_argument("--editor", default="copy")
    parser.add_argument("--kinds", default="", help="of documents, such as PPT2PDF+book; all where none is named")
    parser.add_argument("--measure", nargs=3, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.measure:
        folder, workers, engine = asked.measure
        measure(Path(folder), int(workers), engine)
        return
    with tempfile.TemporaryDirectory(prefix="vde-") as temporary:
        folder = Path(temporary)
        prepare(folder, asked.samples, asked.ppi, asked.editor, asked.kinds)
        for _ in range(asked.repeats):
            compare(folder, asked.samples, asked.workers, asked.engine)


def prepare(folder: Path, samples: int, ppi: int, editor: str, kinds: str) -> None:
    """The suite and an editor's outputs."""
    from vdebench import load_suite
    from vdebench.pipeline.editing import edit_suite
    from vdebench.suites.typeset.make import make_suite
    from vdebench.suites.typeset.recipe import SuiteRecipe

    os.environ["VDE_CACHE"] = str(folder / "cache-of-edits")
    chosen = {"kinds": tuple(kinds.split("+"))} if kinds else {}
    make_suite(folder / "suite", samples, SuiteRecipe(seed=5, ppi=ppi, languages=("en", "zh"), **chosen))
    edit_suite(load_suite(folder / "suite"), editor, folder / "edits")


def compare(folder: Path, samples: int, workers: int, engine: str) -> None:
    """One worker against many."""
    one = run(folder, "one", 1, "local", samples)
    run(folder, "threads", 1, "local", samples)
    many = run(folder, "many", workers, engine, samples)
    print(f"{workers} workers: {many / one:.2f} times the samples per second of one\n")


def run(folder: Path, kind: str, workers: int, engine: str, samples: int) -> float:
    """Samples per second of a run in a process of its own."""
    shutil.rmtree(folder / "run", ignore_errors=True)
    shutil.rmtree(folder / "cache", ignore_errors=True)
    environment = {**os.environ, "VDE_CACHE": str(folder / "cache")}
    if kind == "one":
        environment |= dict.fromkeys(THREADS, "1")
    load = os.getloadavg()[0]
    processors = sorted(os.sched_getaffinity(0))
    own = processors[:1] if kind == "one" else processors
    command = [sys.executable, __file__, "--measure", str(folder), str(workers), engine]
    before = _spent()
    done = subprocess.run(
        command, env=environment, check=True, text=True, stdout=subprocess.PIPE, preexec_fn=lambda: _pin(own)
    )
    told = json.loads(done.stdout.splitlines()[-1])
    digest = hashlib.sha256(b"".join((folder / "run" / name).read_bytes() for name in TABLES)).hexdigest()
    speed: float = samples / told["all"]
    stages = ", ".join(f"{name} {seconds:.1f}" for name, seconds in told["stages"].items())
    print(
        f"{kind:8}{speed:6.2f} samples/s  {told['all']:6.1f} s ({stages}), {_spent() - before:.0f} s of processors, "
        f"load {load:.1f}, sha256 {digest[:12]}",
        flush=True,
    )
    return speed


def _spent() -> float:
    """Seconds of processor time that ended children have taken, with their own."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _pin(processors: list[int]) -> None:
    os.sched_setaffinity(0, processors)


def measure(folder: Path, workers: int, engine: str) -> None:
    """Read and score once, and print how long that took."""
    from vdebench import load_suite, score
    from vdebench.parallel.engines import get_engine

    suite = load_suite(folder / "suite")
    with get_engine(engine) as chosen:
        start = time.perf_counter()
        score(suite, folder / "edits/images", editor="edits", out=folder / "run", workers=workers, engine=chosen)
        seconds = time.perf_counter() - start
    provenance = json.loads((folder / "run/run.json").read_text())["provenance"]
    print(json.dumps({"all": seconds, "stages": provenance["seconds"]}))


if __name__ == "__main__":
    main()
