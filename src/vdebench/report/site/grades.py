"""Grades as data for the page: a table for every judge, grades to sort samples by, and all draws with rationales."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import polars as pl

from vdebench.core.sample import Sample
from vdebench.judges.canary_quality import quality_line
from vdebench.judges.dimension import all_dimensions
from vdebench.report.grades import graded_notes
from vdebench.report.site.judged import GradedEditor, ReportGrades
from vdebench.stats.grades import TOP_GRADE, sample_grades

Told = Callable[[str], str]
"""A text without the folders of this machine."""
Draws = dict[str, list[dict[str, Any]]]
"""By dimension, what came of asking, in the order of the draws."""


def graded_board(judged: ReportGrades, told: Told) -> dict[str, Any]:
    """What stands below the leaderboard."""
    return {"tables": [_table(judge, told) for judge in judged.judges], "notes": judged.notes}


def _table(judge: Sequence[GradedEditor], told: Told) -> dict[str, Any]:
    """Editors graded by one judge, with the numbers of their summaries."""
    summaries = [graded.summary for graded in judge]
    models = [tuple(summary["models"]) for summary in summaries]
    returned = list(dict.fromkeys(model for names in models for model in names))
    verdicts = {quality_line(summary["canary"]) for summary in summaries}
    notes = [told(note) for note in graded_notes(summaries) if not any(note.endswith(f": {v}") for v in verdicts)]
    rows = [_row(graded) for graded in judge]
    if len(set(filter(None, models))) > 1:
        each = "; ".join(f"{graded.editor}: {', '.join(names)}" for graded, names in zip(judge, models, strict=True))
        notes.insert(0, f"editors were graded by models that are not the same, so no best is marked: {each}")
    elif all(summary["canary"]["trusted"] is not False for summary in summaries):
        _mark_best(rows)
    return {
        "judge": summaries[0]["judge"],
        "models": returned,
        "repeat": summaries[0]["repeat"],
        "dimensions": [_dimension(key) for key in summaries[0]["dimensions"]],
        "rows": rows,
        "canary": list(_verdicts(judge)),
        "notes": notes,
    }


def _dimension(key: str) -> dict[str, Any]:
    known = all_dimensions().get(key)
    low, high = (known.low, known.high) if known else (0, TOP_GRADE)
    return {"key": key, "title": known.title if known else key, "low": low, "high": high}


def _row(graded: GradedEditor) -> dict[str, Any]:
    overall, coverage = graded.summary["overall"], graded.summary["coverage"]
    return {
        "editor": graded.editor,
        "cells": {key: _cell(found["mean"], found) for key, found in overall["dimensions"].items()},
        "total": {**_cell(overall["total"], overall), "of": overall["total_of"], "n": overall["complete"]},
        "coverage": coverage,
    }


def _cell(value: float | None, found: Mapping[str, Any]) -> dict[str, Any]:
    return {"value": value, "spread": found["spread"], "n": found.get("n")}


def _mark_best(rows: Sequence[Mapping[str, Any]]) -> None:
    """Mark the best of every column; totals of other dimensions than most are not compared."""
    of = max(row["total"]["of"] for row in rows)
    columns = [[row["cells"][key] for row in rows if key in row["cells"]] for key in rows[0]["cells"]]
    columns.append([row["total"] for row in rows if row["total"]["of"] == of])
    for cells in columns:
        known = [cell for cell in cells if cell["value"] is not None]
        top = max((cell["value"] for cell in known), default=None)
        for cell in known if len(known) > 1 else ():
            if cell["value"] == top:
                cell["best"] = True


def _verdicts(judge: Sequence[GradedEditor]) -> Iterator[dict[str, Any]]:
    """What the canary says of the judge, each once, and in whose runs."""
    lines = [(quality_line(graded.summary["canary"]), graded) for graded in judge]
    for line in dict.fromkeys(line for line, _ in lines):
        own = [graded for other, graded in lines if other == line]
        yield {
            "line": line,
            "trusted": own[0].summary["canary"]["trusted"],
            "editors": [graded.editor for graded in own] if len(own) < len(judge) else [],
        }


def graded_index(judged: ReportGrades, editor: str, samples: Sequence[Sample]) -> list[list[dict[str, float] | None]]:
    """For every sample what each judge gave it: by dimension, the lowest, and the mean where none is lacking."""
    by_judge = [_sortable(graded) if graded else {} for graded in judged.of(editor)]
    return [[found.get(sample.key) for found in by_judge] for sample in samples]


def _sortable(graded: GradedEditor) -> dict[str, dict[str, float]]:
    rows = graded.rows().select("sample", "dimension", "state", "grade").collect()
    asked = dict(rows.group_by("sample").agg(pl.col("dimension").n_unique()).iter_rows())
    found: dict[str, dict[str, float]] = {sample: {} for sample in asked}
    for sample, dimension, grade in sample_grades(rows).iter_rows():
        found[sample][dimension] = round(grade, 4)
    for sample, grades in found.items():
        if not grades:
            continue
        lowest, mean = min(grades.values()), sum(grades.values()) / len(grades)
        grades |= {"lowest": lowest} | ({"mean": round(mean, 4)} if len(grades) == asked[sample] else {})
    return found


def graded_chunks(
    judged: ReportGrades, editor: str, samples: Sequence[Sample], size: int, told: Told
) -> Iterator[list[list[Draws | None]]]:
    """For a few samples at a time what each judge said: by dimension all draws; nothing where it was not asked."""
    tables = [
        (graded, graded.rows().sort("draw", maintain_order=True).collect()) if graded else None
        for graded in judged.of(editor)
    ]
    for start in range(0, len(samples), size):
        keys = [sample.key for sample in samples[start : start + size]]
        by_judge = [_draws(*table, keys, told) if table else {} for table in tables]
        yield [[found.get(key) for found in by_judge] for key in keys]


def _draws(graded: GradedEditor, table: pl.DataFrame, keys: Sequence[str], told: Told) -> dict[str, Draws]:
    changed = len(graded.summary["models"]) > 1
    found: dict[str, Draws] = {}
    for row in table.filter(pl.col("sample").is_in(keys)).iter_rows(named=True):
        draw = {
            "state": row["state"],
            "grade": row["grade"],
            "rationale": row["rationale"],
            "reason": told(row["reason"] or ""),
            "model": row["model"] if changed else "",
        }
        kept = {key: value for key, value in draw.items() if value not in (None, "")}
        found.setdefault(row["sample"], {}).setdefault(row["dimension"], []).append(kept)
    return found
