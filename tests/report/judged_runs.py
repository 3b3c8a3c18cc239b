"""Judged runs for the tests of the report, with the tables and summaries that `vde judge` writes."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from tests.report.site_runs import EVIL
from vdebench.io.files import write_json
from vdebench.judges.canary_quality import MUST_DIFFER
from vdebench.pipeline.judging.folder import GRADES
from vdebench.stats.grades import summarise_grades

DIMENSIONS = ("IF", "TA", "VC", "LP", "SE")
GIVEN = {
    "text/0": {"IF": [4, 5], "TA": [2, 2], "VC": [3, 4], "LP": [5, 5], "SE": [1, 0]},
    "text/1": {"IF": [(0, f"said {EVIL}"), 1], "TA": ["refused", "refused"], "VC": [2, "timed_out"], "LP": [4, 4]},
    "text/2": {"IF": [1, 1], "TA": [1, 1], "VC": [1, 1], "LP": [5, 3]},
}
"""For `my editor`, two draws: SE is asked of one sample only, nothing of text/3."""
PERFECT = {f"text/{at}": {"IF": [5, 5], "TA": [5, 5], "VC": [5, 5], "LP": [5, 4]} for at in range(4)}


def row(sample, group, dimension, draw, told, model):
    """A row: a grade, a grade with its rationale, or the state of a failure."""
    grade, rationale = (
        told if isinstance(told, tuple) else (told, f"{dimension} of {sample}, draw {draw}: seen & weighed")
    )
    about = {"operation": "text_replace", "source": "book", "tier": "easy", "language": "english"}
    about |= {"sample": sample, "group": group, "dimension": dimension, "draw": draw, "seconds": 1.0}
    if isinstance(grade, str):
        return about | {"state": grade, "rationale": "", "reason": f"it was {grade} <b>here</b>", "model": ""}
    usage = {"input_tokens": 100, "output_tokens": 10, "cost": 0.01}
    return about | usage | {"state": "graded", "grade": grade, "rationale": rationale, "reason": "", "model": model}


def make_judged(
    folder: Path, editor: str, given, *, judge="openai:gpt-x", model="gpt-x-2026", repeat=2, wrong=1, **about
) -> Path:
    """An editor's folder; `wrong` is the grade of the canary's wrong edits, its perfect ones have 5."""
    rows = []
    for sample, grades in given.items():
        for dimension, draws in grades.items():
            rows += [
                row(sample, sample.partition("/")[0], dimension, draw, told, model)
                for draw, told in enumerate(draws[:repeat])
            ]
    for dimension, worse in MUST_DIFFER.items():
        for case, grade in {"perfect": 5, **dict.fromkeys(worse, wrong)}.items():
            rows += [row(f"canary/{case}.en", "canary", dimension, draw, grade, model) for draw in range(repeat)]
    table = pl.DataFrame(rows, schema=GRADES, orient="row")
    pins = {"judge": judge, "server": "api.example", "suite": "stripes", "editor": editor}
    pins |= {"dimensions": list(DIMENSIONS), "repeat": repeat, "prompts": "00ff", "temperature": "0", "images": "full"}
    pins |= about
    told = f"vde|judge:{judge.partition(':')[2]}|returned:{model}|repeat:{repeat}|suite:stripes"
    write_json(folder / "judge.json", pins)
    write_json(folder / "summary.json", {"signature": told, **pins, **summarise_grades(table, DIMENSIONS, repeat)})
    table.write_parquet(folder / "grades.parquet")
    return folder
