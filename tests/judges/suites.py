"""Small suites and judges for judging tests."""

from __future__ import annotations

import json
import os
from collections import Counter
from pathlib import Path

from PIL import Image

from tests import pages
from vdebench.judges.judge import get_judge
from vdebench.pipeline.judging.stage import JudgingOptions, judge_suite
from vdebench.suites.suite import Suite, load_suite

SIZE = (60, 80)
GPT4O = 1000 * 2.5e-6 + 50 * 10e-6  # what an answer of the server costs: 1,000 tokens in, 50 out


def paint(file: Path, colour: tuple[int, int, int], size=SIZE, **options) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    Image.new("RGB", size, colour).save(file, **options)


def write_suite(root: Path, count: int = 2, *, reference: bool = True, size=SIZE) -> tuple[Suite, Path]:
    """A suite of plain pages, each of a colour of its own, and an editor's folder with an output for each."""
    pages.write_json(root / "suite/text.json", [pages.entry(number) for number in range(count)])
    told = 'images = "after"\n' if reference else ""
    (root / "suite/suite.toml").write_text(
        'format = "vde-release"\nname = "plain"\n[groups.text]\ninfo = "text.json"\nsource_images = "before"\n' + told
    )
    for number in range(count):
        paint(root / f"suite/before/page_{number}.png", (number % 250, number // 250, 0), size)
        paint(root / f"editor/page_{number}.png", (number % 250, number // 250, 100), size)
        if reference:
            paint(root / f"suite/after/page_{number}.png", (number % 250, number // 250, 200), size)
    return load_suite(root / "suite"), root / "editor"


def asker(server, model="gpt-4o", **options):
    """A judge behind a server of the tests; with a key only where one is in the environment under this name."""
    if "TEST_JUDGE_KEY" in os.environ:
        options.setdefault("key_variable", "TEST_JUDGE_KEY")
    return get_judge(model, base_url=server.url, **options)


def judged(tmp_path: Path, server, *, count=2, run="run", judge=None, progress=None, **asked):
    """One run about a small suite, without the canary unless told."""
    if not (tmp_path / "suite").exists():
        write_suite(tmp_path, count)
    suite = load_suite(tmp_path / "suite")
    asked = {"dimensions": ["IF"], "canary": False, "pause": 0.01, **asked}
    return judge_suite(
        suite, tmp_path / "editor", judge or asker(server), tmp_path / run, JudgingOptions(**asked), progress=progress
    )


def lines(run: Path):
    return [json.loads(line) for line in (run / "grades.jsonl").read_text().splitlines() if line]


def states(result):
    return Counter(result.rows["state"])


def only(result):
    (row,) = result.rows.iter_rows(named=True)
    return row
