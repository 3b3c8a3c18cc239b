"""JSON data of grades: a table for every judge, grades to sort samples by, and all draws with rationales."""

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

Redact = Callable[[str], str]
"""Removes the folders of this machine from a text."""
Draws = dict[str, list[dict[str, Any]]]
"""Results by dimension, in the order of the draws."""


def graded_board(grades: ReportGrades, redact: Redact) -> dict[str, Any]:
    """Tables of grades, shown below the leaderboard."""
    return {"tables": [_table(judge, redact) for judge in grades.judges], "notes": grades.notes}


def _table(judge: Sequence[GradedEditor], redact: Redact) -> dict[str, Any]:
    """Editors graded by one judge, with the numbers of their summaries."""
    summaries = [graded.summary for graded in judge]
    models = [tuple(summary["models"]) for summary in summaries]
    returned = list(dict.fromkeys(model for names in models for model in names))
    verdicts = {quality_line(summary["canary"]) for summary in summaries}
    notes = [redact(note) for note in graded_notes(summaries) if not any(note.endswith(f": {v}") for v in verdicts)]
    rows = [_row(graded) for graded in judge]
    if len(set(filter(None, models))) > 1:
        models_by_editor = "; ".join(
            f"{graded.editor}: {', '.join(names)}" for graded, names in zip(judge, models, strict=True)
        )
        notes.insert(0, f"editors were graded by different models, so no best is marked: {models_by_editor}")
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
        "cells": {key: _cell(means["mean"], means) for key, means in overall["dimensions"].items()},
        "total": {**_cell(overall["total"], overall), "of": overall["total_of"], "n": overall["complete"]},
        "coverage": coverage,
    }


def _cell(value: float | None, means: Mapping[str, Any]) -> dict[str, Any]:
    return {"value": value, "spread": means["spread"], "n": means.get("n")}


def _mark_best(rows: Sequence[Mapping[str, Any]]) -> None:
    """Mark the best of every column; totals of fewer dimensions are not compared."""
    total_of = max(row["total"]["of"] for row in rows)
    columns = [[row["cells"][key] for row in rows if key in row["cells"]] for key in rows[0]["cells"]]
    columns.append([row["total"] for row in rows if row["total"]["of"] == total_of])
    for cells in columns:
        graded = [cell for cell in cells if cell["value"] is not None]
        top = max((cell["value"] for cell in graded), default=None)
        for cell in graded if len(graded) > 1 else ():
            if cell["value"] == top:
                cell["best"] = True


def _verdicts(judge: Sequence[GradedEditor]) -> Iterator[dict[str, Any]]:
    """The canary's results on the judge, each once, with the editors of the runs."""
    lines = [(quality_line(graded.summary["canary"]), graded) for graded in judge]
    for line in dict.fromkeys(line for line, _ in lines):
        same = [graded for text, graded in lines if text == line]
        yield {
            "line": line,
            "trusted": same[0].summary["canary"]["trusted"],
            "editors": [graded.editor for graded in same] if len(same) < len(judge) else [],
        }


def graded_index(grades: ReportGrades, editor: str, samples: Sequence[Sample]) -> list[list[dict[str, float] | None]]:
    """Every judge's grades of every sample: by dimension, the lowest, and the mean if complete."""
    by_judge = [_sortable(graded) if graded else {} for graded in grades.of(editor)]
    return [[by_sample.get(sample.key) for by_sample in by_judge] for sample in samples]


def _sortable(graded: GradedEditor) -> dict[str, dict[str, float]]:
    rows = graded.rows().select("sample", "dimension", "state", "grade").collect()
    dimension_counts = dict(rows.group_by("sample").agg(pl.col("dimension").n_unique()).iter_rows())
    by_sample: dict[str, dict[str, float]] = {sample: {} for sample in dimension_counts}
    for sample, dimension, grade in sample_grades(rows).iter_rows():
        by_sample[sample][dimension] = round(grade, 4)
    for sample, grades in by_sample.items():
        if not grades:
            continue
        lowest, mean = min(grades.values()), sum(grades.values()) / len(grades)
        grades |= {"lowest": lowest} | ({"mean": round(mean, 4)} if len(grades) == dimension_counts[sample] else {})
    return by_sample


def graded_chunks(
    grades: ReportGrades, editor: str, samples: Sequence[Sample], size: int, redact: Redact
) -> Iterator[list[list[Draws | None]]]:
    """Yield every judge's draws by dimension, some samples at a time; None for samples without questions."""
    tables = [
        (graded, graded.rows().sort("draw", maintain_order=True).collect()) if graded else None
        for graded in grades.of(editor)
    ]
    for start in range(0, len(samples), size):
        keys = [sample.key for sample in samples[start : start + size]]
        by_judge = [_draws(*table, keys, redact) if table else {} for table in tables]
        yield [[by_sample.get(key) for by_sample in by_judge] for key in keys]


def _draws(graded: GradedEditor, table: pl.DataFrame, keys: Sequence[str], redact: Redact) -> dict[str, Draws]:
    changed = len(graded.summary["models"]) > 1
    by_sample: dict[str, Draws] = {}
    for row in table.filter(pl.col("sample").is_in(keys)).iter_rows(named=True):
        draw = {
            "state": row["state"],
            "grade": row["grade"],
            "rationale": row["rationale"],
            "reason": redact(row["reason"] or ""),
            "model": row["model"] if changed else "",
        }
        present = {key: value for key, value in draw.items() if value not in (None, "")}
        by_sample.setdefault(row["sample"], {}).setdefault(row["dimension"], []).append(present)
    return by_sample
