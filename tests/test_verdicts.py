"""The benchmark of verdicts: its table over several seeds, and its command."""

from __future__ import annotations

import subprocess
import sys
from argparse import ArgumentTypeError
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from vdebench.stats.usable import PROPERTIES
from vdebench.studies.validity.outputs.catalog import get_output_corruptions
from vdebench.studies.validity.outputs.results import result_of
from vdebench.studies.validity.outputs.study import OutputStudy

sys.path.append(str(Path(__file__).parents[1] / "benchmarks"))
import verdicts

NAMES = ("digit elsewhere", "slight tint", "zoom 1.5 %")


def judged(title, sample, usable, evidence="", judgeable=True):
    (corruption,) = get_output_corruptions([title])
    passed = {name: usable if name == "preservation" else True for name in PROPERTIES}
    texts = {f"{name}_evidence": evidence if name == "preservation" else "" for name in PROPERTIES}
    head = {"protocol": "strict", "corruption": corruption.name, "level": 1, "sample": sample}
    return {**head, "usable": usable, **passed, **texts, "judgeable": judgeable, "page": sample}


def study(*rows):
    scores = pl.DataFrame(schema={"protocol": pl.String, "corruption": pl.String, "level": pl.Int64})
    tables = {"usable": pl.DataFrame(rows, infer_schema_length=None), "scores": scores, "regions": scores}
    return OutputStudy({}, [result_of(each, tables) for each in get_output_corruptions(NAMES)], [], tables)


def test_outputs_are_counted_by_what_a_person_says(capsys):
    first = study(
        judged("digit elsewhere", "1", True),
        judged("digit elsewhere", "2", False, "share 0.9"),
        judged("digit elsewhere", "3", None),
        judged("digit elsewhere", "4", None, judgeable=False),
        judged("slight tint", "1", False, "share 0.8"),
        judged("zoom 1.5 %", "1", False, "share 0.7"),
    )
    second = study(judged("digit elsewhere", "1", False, "share 0.5"))
    corruptions = get_output_corruptions(NAMES)
    verdicts.show_table(corruptions[:2], [first, second])
    verdicts.show_errors(corruptions, {5: first, 6: second}, listed=True)
    _, digit, tint, *errors = capsys.readouterr().out.splitlines()
    assert digit.split() == ["digit", "elsewhere", "bad", "1/3", "1", "2", "preservation"]
    assert tint.split() == ["slight", "tint", "ok", "0/1", "1", "preservation"]
    accepts, one, rejects, other = errors
    assert accepts.startswith("false accepts: 1 of 3 that a person calls bad (33.3 %, 95 % interval ")
    assert accepts.endswith("; 1 more are unknown")
    assert one == "  digit elsewhere: sample 5/1"
    assert rejects.startswith("false rejects: 1 of 1 that a person calls ok (100.0 %")
    assert other == "  slight tint: sample 5/1 preservation share 0.8"


def test_the_last_step_may_be_a_page_transformation():
    image = np.full((60, 50, 3), 200, np.uint8)
    assert verdicts.last_step("none")(image) is image
    assert verdicts.last_step("70%")(image).shape == (42, 35, 3)  # 0.7 · 60, 0.7 · 50
    assert verdicts.last_step("resize").name == "resize"
    with pytest.raises(ArgumentTypeError, match="--after smudge: expected"):
        verdicts.last_step("smudge")


@pytest.mark.slow
def test_the_right_edit_is_accepted_and_the_source_is_not(tmp_path):
    command = [sys.executable, "benchmarks/verdicts.py", "--samples", "2", "--ppi", "110", "--out", str(tmp_path)]
    command += ["--corruptions", "right edit", "source returned", "--seed", "3", "--after", "resize"]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert "false accepts: 0 of 2" in text
    assert "that a person calls ok" in text
    assert len(list((tmp_path / "3/images/right-edit").iterdir())) == 2
    assert (tmp_path / "3/results/validity.json").exists()
