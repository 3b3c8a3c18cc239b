"""End-to-end tests of `vde human`."""

from __future__ import annotations

import csv
import json

import pytest
from typer.testing import CliRunner

from tests.report import human_runs
from vdebench.cli.main import app
from vdebench.errors import VdeError

SAMPLES = 3


@pytest.fixture(scope="module")
def runs(tmp_path_factory, _cache):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("VDE_CACHE", str(_cache))
        return human_runs.make(tmp_path_factory.mktemp("human"), SAMPLES)[1]


def vde(*arguments):
    done = CliRunner().invoke(app, [str(each) for each in arguments])
    if isinstance(done.exception, VdeError):
        raise done.exception
    assert done.exit_code == 0, done.output
    return done.stdout


def test_help_has_examples():
    for verb in ("sheet", "correlate"):
        assert f"vde human {verb}" in vde("human", verb, "--help")


def fill(folder):
    """The sheet's own CSV, filled in: everybody ranks by the letter."""
    with (folder / "sheet/sheet.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    with (folder / "filled.csv").open("w", newline="") as file:
        table = csv.DictWriter(file, list(rows[0]))
        table.writeheader()
        table.writerows(row | {"rank": "ABCD".index(row["candidate"]) + 1} for row in rows)
    return folder / "filled.csv"


def test_from_the_sheet_to_the_numbers(runs, tmp_path):
    told = vde("human", "sheet", runs, "--sample-count", 9, "--annotators", 2, "--out", tmp_path / "study")
    assert "3 samples (9 requested: no more have scores and images) of 4 editors" in told
    assert "keep it secret" in told
    answers = fill(tmp_path / "study")
    command = ("human", "correlate", answers, "--key", tmp_path / "study/key.json", "--runs", runs)
    text = vde(*command, "--out", tmp_path / "agreement")
    for expected in ("People and strict, global, on stripes", "People with each other", "Kendall's", "index.html"):
        assert expected in text
    assert (tmp_path / "agreement/figure.svg").exists()
    found = json.loads(vde(*command, "--json", "--setting", "local", "--metric", "text correctness=cdm"))
    assert found["answers"] == {
        "cells": 44, "missing": 0, "missing_by_annotator": {"1": 0, "2": 0}, "incomplete_rankings": 0,
        "unchecked_files": [],
    }  # fmt: skip
    assert found["criteria"]["text correctness"]["metric"] == "cdm"
    assert set(found["criteria"]["box alignment"]["models"]["kendall"]) == {"value", "interval"}
    assert "| models |" in vde(*command, "--format", "markdown")
    turned = json.loads(vde(*command, "--json", "--scores"))["criteria"]["box alignment"]["models"]["spearman"]["value"]
    plain = json.loads(vde(*command, "--json"))["criteria"]["box alignment"]["models"]["spearman"]["value"]
    assert turned < 0.8 or plain < 0.8  # letters are not the truth


def test_what_the_user_can_mend_is_said_in_words(runs, tmp_path):
    vde("human", "sheet", runs, "--out", tmp_path / "study", "--editor", "Numbat", "--editor", "quokka-9b")
    (tmp_path / "bad.csv").write_text("annotator,sample,candidate,criterion,rank\n1,1,Z,box alignment,1\n")
    with pytest.raises(VdeError, match=r"bad\.csv: line 2: candidate 'Z', the sheet has A, B"):
        vde("human", "correlate", tmp_path / "bad.csv", "--runs", runs, "--key", tmp_path / "study/key.json")
    with pytest.raises(VdeError, match="study: is not empty"):
        vde("human", "sheet", runs, "--out", tmp_path / "study")
