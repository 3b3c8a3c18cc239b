"""Correlation of a judge's grades with human scores: Spearman, Kendall and Pearson, by dimension and overall."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from vdebench.errors import InputError, VdeError
from vdebench.io.files import read_bytes
from vdebench.judges.canary_quality import GROUP
from vdebench.stats.bootstrap import RESAMPLES
from vdebench.stats.correlation import absence_reason, correlate_pairs
from vdebench.stats.grades import sample_grades
from vdebench.stats.ranks import rankdata

OVERALL = "overall"
"""Used as a dimension: a score for the whole edit."""
_NAMES = ("human scores", "grades")


def correlate(
    rows: pl.DataFrame, file: Path, editor: str = "", *, resamples: int = RESAMPLES, seed: int = 0
) -> dict[str, Any]:
    """Correlate a run's grades with a CSV of `sample, dimension, score` and, for several editors, `editor`.

    Several scores of one sample and dimension are averaged. `overall` compares, per sample, the mean score with the
    mean grade in the same dimensions, or in all dimensions if annotators scored the whole edit. Undefined values are
    None, with a reason. `coefficients` contains Spearman, Kendall (tau-b) and Pearson for each dimension and `overall`,
    with bootstrap intervals over samples.
    """
    human = read_human_scores(file)
    grades = sample_grades(_match_editors(rows.filter(pl.col("group") != GROUP), human, file, editor))
    keys = [key for key in ("editor", "sample") if key in human.columns]
    parts = grades.group_by(keys).agg(pl.col("grade").mean(), pl.lit(OVERALL).alias("dimension"))
    all_grades = pl.concat([grades, parts.select(grades.columns)])
    pairs = human.join(all_grades, on=[*keys, "dimension"], how="inner").sort(*keys, "dimension")
    unmatched = human.join(all_grades, on=[*keys, "dimension"], how="anti").sort(*keys, "dimension")
    dimensions = [name for name in pairs["dimension"].unique(maintain_order=True) if name != OVERALL]
    whole = pairs.group_by(keys).agg(pl.col("score").mean(), pl.col("grade").mean()).sort(keys)
    by_name = {name: pairs.filter(pl.col("dimension") == name) for name in sorted(dimensions)}
    return {
        "file": str(file),
        "scores": len(human),
        "without_grade": len(unmatched),
        "first_without_grade": unmatched["sample"][0] if len(unmatched) else None,
        "dimensions": {name: _correlation(part) for name, part in by_name.items()},
        OVERALL: _correlation(whole),
        "coefficients": {
            name: correlate_pairs(
                part["score"].to_list(),
                part["grade"].to_list(),
                part["sample"].to_list(),
                resamples=resamples,
                seed=seed,
                names=_NAMES,
            )
            for name, part in {**by_name, OVERALL: whole}.items()
        },
        "resamples": resamples,
        "seed": seed,
    }


def read_human_scores(file: Path) -> pl.DataFrame:
    """Read human scores, averaged by sample and dimension; raises `InputError` with the line of an invalid score."""
    try:
        text = read_bytes(file).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"{file}: not UTF-8 at byte {error.start}, expected a CSV file") from None
    lines = csv.DictReader(io.StringIO(text, newline=""))
    columns = [name.strip().lower() for name in lines.fieldnames or ()]
    for name in ("sample", "dimension", "score"):
        if name not in columns:
            raise InputError(
                f"{file}: has no column {name!r} (its columns: {', '.join(columns) or 'none'});"
                " expected sample, dimension, score and, for several editors, editor"
            )
    lines.fieldnames = columns
    keys = [key for key in ("editor", "sample", "dimension") if key in columns]
    rows = [
        {**{key: (line[key] or "").strip() for key in keys}, "score": _score(line["score"], file, lines.line_num)}
        for line in lines
    ]
    if not rows:
        raise InputError(f"{file}: contains no scores, only a header")
    scores = pl.DataFrame(rows).with_columns(pl.col("dimension").map_elements(_dimension, pl.String))
    return scores.group_by(keys).agg(pl.col("score").mean()).sort(keys)


def _dimension(name: str) -> str:
    """Spell a dimension as in the grades: IF, TA … in upper case, others in lower case."""
    return name.upper() if len(name) == 2 else name.lower()


def _score(text: str | None, file: Path, line: int) -> float:
    try:
        score = float(text or "")
    except ValueError:
        score = math.nan
    if not math.isfinite(score):
        raise InputError(f"{file}: line {line}: score {text!r}, expected a number")
    return score


def _match_editors(rows: pl.DataFrame, human: pl.DataFrame, file: Path, editor: str) -> pl.DataFrame:
    """Return the rows with a column `editor` if and only if the scores have one."""
    if "editor" in human.columns:
        if "editor" in rows.columns:
            return rows
        if not editor:
            raise VdeError(f"{file}: names editors, but the editor of the grades is unknown; pass the editor's name")
        return rows.with_columns(editor=pl.lit(editor))
    if "editor" in rows.columns and rows["editor"].n_unique() > 1:
        raise VdeError(
            f"{file}: has no column 'editor', but there are grades of {rows['editor'].n_unique()} editors;"
            " add it to tell whose outputs were scored"
        )
    return rows.drop("editor", strict=False)


def _correlation(pairs: pl.DataFrame) -> dict[str, Any]:
    scores, grades = pairs["score"].to_list(), pairs["grade"].to_list()
    reason = absence_reason(scores, grades, _NAMES)
    if reason:
        return {"n": len(pairs), "pearson": None, "spearman": None, "reason": reason}
    return {
        "n": len(pairs),
        "pearson": pearson(scores, grades),
        "spearman": pearson(rankdata(scores).tolist(), rankdata(grades).tolist()),
    }


def pearson(one: Sequence[float], other: Sequence[float]) -> float:
    """Pearson correlation of two series that are not constant.

    >>> round(pearson([1, 2, 3], [2, 4, 7]), 4)
    0.9934
    """
    return float(np.corrcoef(one, other)[0, 1])
