"""A metric of another package appears in all outputs, and disappears with its package."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

from tests.plugins import register

ROOT = Path(__file__).parents[2]
TINY = "examples/tiny"
PLUGIN = '''
"""A text metric as another package has it. Importing it registers it: only tests that ask for it may do so."""

from __future__ import annotations

from vdebench.metrics import metric


@metric("vowels", kind="text", title="Vowels", version=2, best="lower", digits=4)
def vowel_difference(candidate: str, reference: str) -> float:
    """Share by which the numbers of vowels differ."""
    counts = [sum(text.count(vowel) for vowel in "aeiou") for text in (candidate, reference)]
    return abs(counts[0] - counts[1]) / max(1, *counts)
'''
"""The module of the other package: written by the test, because importing it here would register the metric."""


class Installation:
    """`vde` in a process of its own, with the package or without."""

    def __init__(self, root: Path, *, added: bool) -> None:
        self.root = root
        root.mkdir()
        if added:
            register(root / "site", "metrics", vowels="plugged_metric:vowel_difference")
            (root / "site/plugged_metric.py").write_text(PLUGIN, encoding="utf-8")
        self.environment = {**os.environ, "PYTHONPATH": f"{root / 'site'}{os.pathsep}{ROOT}"}

    def vde(self, *arguments: object) -> str:
        command = [sys.executable, "-m", "vdebench", *map(str, arguments)]
        return subprocess.run(
            command, cwd=ROOT, env=self.environment, check=True, capture_output=True, text=True
        ).stdout

    def score(self, editor: str, *options: object) -> str:
        place = self.root / editor
        return self.vde("score", TINY, "--ocr-output", f"{TINY}/editors/{editor}", "--out", place, *options)


@pytest.fixture(scope="module")
def with_metric(tmp_path_factory):
    installation = Installation(tmp_path_factory.mktemp("added") / "with", added=True)
    installation.printed = installation.score("careful", "-p", "strict", "-p", "vde-v3")
    installation.score("copy")
    return installation


def runs(installation: Installation) -> list[Path]:
    return [installation.root / "careful" / "strict", installation.root / "copy"]


def test_it_is_in_rows_json_and_intervals(with_metric):
    careful, copy = (json.loads((run / "summary.json").read_text()) for run in runs(with_metric))
    assert "|metrics:vowels-2|" in careful["signature"]
    rows = pl.read_parquet(runs(with_metric)[1] / "scores.parquet").filter(setting="global", state="scored")
    each = rows["vowels_sum"] / rows["vowels_n"]
    assert copy["overall"]["global"]["vowels"] == pytest.approx(each.mean(), abs=1e-12)
    assert copy["overall"]["local"]["vowels"] > careful["overall"]["local"]["vowels"]  # lower is better
    low, high = copy["overall"]["local"]["intervals"]["vowels"]
    assert low < copy["overall"]["local"]["vowels"] < high
    assert copy["by"]["language"]["english"]["global"]["vowels"] is not None


def test_it_is_in_tables(with_metric):
    assert "Vowels" in with_metric.printed.partition("vde-v3 on tiny")[0]
    assert "Vowels" in with_metric.score("copy", "--format", "csv")
    assert "Vowels" in with_metric.score("copy", "--format", "latex")
    assert "Vowels" in with_metric.vde("show", runs(with_metric)[0])
    assert "local: Vowels (lower is better)" in with_metric.vde("compare", *runs(with_metric))
    table = with_metric.vde("table", *runs(with_metric), "--format", "csv")
    head, first = table.splitlines()[0].split(","), table.splitlines()[1].split(",")
    assert "Vowels" in head
    assert float(first[head.index("Vowels")]) >= 0
    assert "Vowels" not in with_metric.vde("table", *runs(with_metric), "--paper-table", "vde-v3:2", "--format", "csv")


def test_it_is_in_the_report_and_on_the_leaderboard(with_metric, tmp_path):
    with_metric.vde("report", *runs(with_metric), "-o", tmp_path / "report")
    fact = '"key":"vowels","title":"Vowels","best":"lower","digits":4,"main":true'
    assert any(
        fact in file.read_text().replace('": ', '":').replace(", ", ",") for file in scripts(tmp_path / "report")
    )
    with_metric.vde("leaderboard", *runs(with_metric), "-o", tmp_path / "board")
    assert any('"vowels"' in file.read_text() for file in scripts(tmp_path / "board"))
    files = [file for file in (tmp_path / "board").rglob("*") if file.suffix in (".csv", ".tex", ".md")]
    assert {file.suffix for file in files if "Vowels" in file.read_text()} == {".csv", ".tex", ".md"}


def scripts(folder: Path) -> list[Path]:
    return list((folder / "data").rglob("*.js"))


def test_a_papers_protocol_measures_what_the_paper_does(with_metric):
    summary = json.loads((with_metric.root / "careful" / "vde-v3" / "summary.json").read_text())
    assert "metrics:" not in summary["signature"]
    assert summary["overall"]["global"]["vowels"] is None


def test_without_its_package_it_is_nowhere(with_metric, tmp_path):
    without = Installation(tmp_path / "without", added=False)
    printed = without.score("copy", "--format", "csv")
    summary = (without.root / "copy" / "summary.json").read_text()
    assert "metrics:" not in json.loads(summary)["signature"]
    columns = pl.read_parquet_schema(without.root / "copy" / "scores.parquet")
    assert not any("vowels" in text.lower() for text in (printed, summary, *columns))
    # runs that have it are shown without it
    for command in ("compare", "leaderboard", "report"):
        more = () if command == "compare" else ("-o", tmp_path / command)
        assert "vowels" not in without.vde(command, *runs(with_metric), *more).lower().replace("metrics:vowels-2", "")
        for file in scripts(tmp_path / command):
            assert '"vowels"' not in file.read_text()


def test_two_metrics_cannot_have_one_name(tmp_path):
    (tmp_path / "taken.py").write_text(
        "from vdebench.metrics import metric\n\n@metric('cdm', kind='text')\ndef mine(one, other):\n    return 0\n"
    )
    installation = Installation(tmp_path / "twice", added=False)
    register(installation.root / "site", "metrics", mine="taken:mine")
    installation.environment["PYTHONPATH"] += f"{os.pathsep}{tmp_path}"
    with pytest.raises(subprocess.CalledProcessError) as caught:
        installation.score("copy")
    assert "two metrics have the name 'cdm'" in caught.value.stderr
