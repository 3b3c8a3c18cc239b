"""Users' own programs: scripts without a guard, from a file, standard input or a notebook, with workers of the engine.

Each program runs as a user runs it, in a process of its own with a time limit. `BEGINS` makes scoring ask workers at
once, and says on standard output that the program was run and that workers were asked.
"""

from __future__ import annotations

import doctest
import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TINY = ROOT / "examples/tiny"
BEGINS = """
import vdebench.pipeline.scoring.workers
from vdebench.parallel.local import LocalEngine

print("the program runs", flush=True)
vdebench.pipeline.scoring.workers.SERIAL_SECONDS = 0
map_tasks = LocalEngine.map_tasks


def told(self, work, tasks, workers=0, **how):
    print(f"{workers} workers are asked", flush=True)
    return map_tasks(self, work, tasks, workers, **how)


LocalEngine.map_tasks = told
"""
SCORES = """
from vdebench import load_suite, score

result = score(load_suite({suite!r}), {editor!r}, workers=2)
print(result.summary["coverage"], round(result.summary["overall"]["global"]["cdm"], 3))
"""
SMALL = BEGINS + SCORES.format(suite=str(TINY), editor=str(TINY / "editors/careful"))
SCORED = [
    "the program runs",
    "2 workers are asked",
    "{'samples': 8, 'scored': 8, 'missing': 0, 'failed': 0} 0.999",
]
NOTEBOOK = """
import sys, types

cells = sys.stdin.read()
sys.modules["__main__"] = module = types.ModuleType("__main__")  # as IPython's kernel has it: no file, no spec
exec(cells, module.__dict__)
"""
DIES = """
import os, sys

if "vdebench.parallel.worker_process" in " ".join(sys.orig_argv):
    {how}
"""
"""A `sitecustomize.py`: Python runs it before anything else."""


def run(*arguments: str | Path, given: str = "", first: str | Path = "", cwd: Path = ROOT, seconds: int = 90):
    """What a Python program prints; it fails where the program takes too long."""
    path = os.pathsep.join(filter(None, [str(first), str(ROOT / "src"), os.environ.get("PYTHONPATH", "")]))
    environment = {**os.environ, "PYTHONPATH": path}
    return subprocess.run(
        [sys.executable, *arguments], input=given, env=environment, cwd=cwd, capture_output=True, text=True,
        timeout=seconds,
    )  # fmt: skip


def write_copies(folder: Path, copies: int) -> Path:
    """The suite `examples/tiny` and its editor `careful` many times over."""
    folder.mkdir()
    (folder / "suite.toml").write_bytes((TINY / "suite.toml").read_bytes())
    for file in TINY.glob("*_info.json"):
        entries = [
            {**entry, "id": f"{copy}-{entry['id']}", "image_output": f"c{copy}_{Path(entry['image_output']).name}"}
            for copy in range(copies)
            for entry in json.loads(file.read_text())
        ]
        (folder / file.name).write_text(json.dumps(entries))
    for place in (*TINY.glob("*_ocr"), TINY / "editors/careful"):
        for file in place.rglob("*.json"):
            copy_of = folder / file.relative_to(TINY)
            copy_of.parent.mkdir(parents=True, exist_ok=True)
            for copy in range(copies):
                copy_of.with_name(f"c{copy}_{file.name}").write_bytes(file.read_bytes())
    return folder


def test_a_script_without_a_guard_scores_a_thousand_pages_with_workers(tmp_path):
    suite = write_copies(tmp_path / "suite", 135)
    script = tmp_path / "script.py"
    script.write_text(BEGINS + SCORES.format(suite=str(suite), editor=str(suite / "editors/careful")))
    done = run(script)
    assert done.returncode == 0, done.stderr
    scored = "{'samples': 1080, 'scored': 1080, 'missing': 0, 'failed': 0} 0.999"
    assert done.stdout.splitlines() == [*SCORED[:2], scored]


@pytest.mark.parametrize("how", ["file", "module", "stdin", "command", "notebook"])
def test_a_program_may_come_from_anywhere(how, tmp_path):
    if how in ("file", "module"):
        (tmp_path / "mine.py").write_text(SMALL)
    ways = {
        "file": lambda: run("mine.py", cwd=tmp_path),
        "module": lambda: run("-m", "mine", cwd=tmp_path),
        "stdin": lambda: run("-", given=SMALL),
        "command": lambda: run("-c", SMALL),
        "notebook": lambda: run("-c", NOTEBOOK, given=SMALL),
    }
    done = ways[how]()
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == SCORED


def test_a_script_may_order_a_suite(tmp_path):
    """Pages are typeset by workers too; two parts of ten pages each."""
    script = BEGINS + "from vdebench import load_suite\nprint(len(load_suite('typeset:n=20,per_page=1,ppi=60')))"
    done = run("-c", script)
    assert done.returncode == 0, done.stderr
    asked = [line for line in done.stdout.splitlines() if "workers" in line]
    assert done.stdout.splitlines() == ["the program runs", *asked, "20"]


@pytest.mark.parametrize(
    ("how", "reason"),
    [
        ("os.kill(os.getpid(), 9)", "killed by SIGKILL (out of memory?)"),
        ("os._exit(3)", "ended with code 3"),
    ],
)
def test_workers_that_die_while_they_start_are_an_error(how, reason, tmp_path):
    (tmp_path / "sitecustomize.py").write_text(DIES.format(how=how))
    begun = time.monotonic()
    done = run("-c", SMALL, first=tmp_path)
    assert time.monotonic() - begun < 30
    assert done.returncode == 1
    assert done.stdout.splitlines() == SCORED[:2]
    assert f"VdeError: a worker process died while starting: {reason}" in done.stderr
    make = ["typeset", "make", "--n", "60", "--seed", "1", "--workers", "2", "--out", str(tmp_path / "t")]
    done = run("-m", "vdebench", *make, first=tmp_path)
    assert done.returncode == 2
    assert f"vde: a worker process died while starting: {reason}" in done.stderr
    assert "Traceback" not in done.stderr


def test_work_of_the_script_itself_is_refused_in_words():
    script = "from vdebench.parallel.local import map_tasks\ndef f(x): return x\nprint(list(map_tasks(f, range(4), 2)))"
    done = run("-c", script)
    assert done.returncode == 1
    assert "worker processes do not run your script; define it in a module" in done.stderr


@pytest.mark.parametrize("page", ["README.md", "docs/python.md", "docs/engines.md"])
def test_the_examples_run_as_scripts(page, tmp_path):
    examples = doctest.DocTestParser().get_examples((ROOT / page).read_text())
    script = tmp_path / "example.py"
    script.write_text(BEGINS + "".join(example.source for example in examples) + "print('the end')\n")
    assert "score(" in script.read_text()
    done = run(script)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert (lines.count("the program runs"), lines[-1]) == (1, "the end")
