"""Summary of a judged run: coverage, means, totals and their spread over the draws, overall and by every slice.

A sample's grade in a dimension is the mean of its graded draws. A question without a grade is in no mean, but in every
count. The total is the sum of the dimensions' means over complete samples: those with a grade for all their questions.
Semantic expectation applies only to samples that have one, and its mean is over those, as in the paper.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import polars as pl

from vdebench.judges.canary_quality import GROUP, judge_quality

SLICES = ("group", "operation", "source", "tier", "language")
"""Split, operation, topic, difficulty tier and language, as far as the rows have them."""
TOP_GRADE = 5
_UNKNOWN = "unknown"


def summarise_grades(rows: pl.DataFrame, dimensions: Sequence[str], repeat: int) -> dict[str, Any]:
    """Coverage, means, breakdowns and canary results of a run's rows."""
    suite = rows.filter(pl.col("group") != GROUP)
    answered = rows.filter(pl.col("model").is_not_null() & (pl.col("model") != ""))
    return {
        "dimensions": list(dimensions),
        "repeat": repeat,
        "coverage": coverage(suite),
        "overall": grades_of(suite, dimensions, repeat),
        "by": {
            column: {
                value: grades_of(part, dimensions, repeat) for value, part in sorted(_parts(suite, column).items())
            }
            for column in SLICES
            if column in suite.columns
        },
        "models": dict(sorted(answered["model"].value_counts().iter_rows())),
        "usage": _usage(rows),
        "canary": judge_quality(rows),
        "notes": list(_notes(suite, answered, dimensions)),
    }


def coverage(rows: pl.DataFrame) -> dict[str, int]:
    """Number of samples and questions, and of questions in each state."""
    states = dict(rows["state"].value_counts(sort=True).iter_rows())
    return {
        "samples": rows["sample"].n_unique(),
        "questions": len(rows),
        "graded": states.pop("graded", 0),
        **dict(sorted(states.items())),
    }


def grades_of(rows: pl.DataFrame, dimensions: Sequence[str], repeat: int) -> dict[str, Any]:
    """Means of a slice, None without grades, with the counts behind them.

    `draws` are the means of single draws, `spread` is their standard deviation (over n − 1), None for one draw.
    """
    means, total, complete = _means(rows, dimensions)
    draws = [_means(rows.filter(pl.col("draw") == draw), dimensions) for draw in range(repeat)]
    totals = [draw_result for _, draw_result, _ in draws]
    by_dimension: dict[str, Any] = {}
    for dimension in dimensions:
        questions = rows.filter(pl.col("dimension") == dimension)
        graded = questions.filter(pl.col("state") == "graded")
        by_draw = [draw_result[dimension] for draw_result, _, _ in draws]
        by_dimension[dimension] = {
            "mean": means[dimension],
            "n": graded["sample"].n_unique(),
            "asked": len(questions),
            "graded": len(graded),
            "coverage": len(graded) / len(questions) if len(questions) else None,
            "draws": by_draw,
            "spread": spread(by_draw),
        }
    used = [dimension for dimension in dimensions if by_dimension[dimension]["asked"]]
    return {
        "samples": rows["sample"].n_unique(),
        "complete": complete,
        "questions": len(rows),
        "graded": sum(draw_result["graded"] for draw_result in by_dimension.values()),
        "dimensions": by_dimension,
        "total": total,
        "total_of": TOP_GRADE * len(used),
        "mean": None if total is None else total / len(used),
        "draws": totals,
        "spread": spread(totals),
    }


def spread(values: Sequence[float | None]) -> float | None:
    """Standard deviation over n − 1 of the values that are not None; None for less than two.

    >>> spread([1.0, 3.0, None]), spread([2.0])
    (1.4142135623730951, None)
    """
    present = [value for value in values if value is not None]
    return float(np.std(present, ddof=1)) if len(present) > 1 else None


def sample_grades(rows: pl.DataFrame) -> pl.DataFrame:
    """The grade of every sample in every dimension, if it has one: the mean of its graded draws, sorted by keys."""
    graded = rows.filter(pl.col("state") == "graded")
    keys = [key for key in ("editor", "sample", "dimension") if key in rows.columns]
    return graded.group_by(keys).agg(pl.col("grade").cast(pl.Float64).mean()).sort(keys)


def _means(rows: pl.DataFrame, dimensions: Sequence[str]) -> tuple[dict[str, float | None], float | None, int]:
    """Mean of each dimension over the samples that have it, the total, and the number of complete samples."""
    grades = sample_grades(rows)
    questions = rows.select("sample", "dimension").unique()
    lacking = questions.join(grades, on=["sample", "dimension"], how="anti")["sample"].unique()
    complete = grades.filter(~pl.col("sample").is_in(lacking.implode()))
    means = {dimension: _mean(grades, dimension) for dimension in dimensions}
    used = set(questions["dimension"])
    parts = [_mean(complete, dimension) for dimension in dimensions if dimension in used]
    present = [part for part in parts if part is not None]
    total = sum(present) if present and len(present) == len(parts) else None
    return means, total, complete["sample"].n_unique()


def _mean(grades: pl.DataFrame, dimension: str) -> float | None:
    grades_of_dimension = grades.filter(pl.col("dimension") == dimension)["grade"].to_numpy()
    return float(np.mean(grades_of_dimension)) if len(grades_of_dimension) else None


def _parts(rows: pl.DataFrame, column: str) -> dict[str, pl.DataFrame]:
    """Rows by the values of a column; rows without a value form one group."""
    labelled = rows.with_columns(pl.col(column).cast(pl.String).replace("", None).fill_null(_UNKNOWN))
    return {str(value): part for (value,), part in labelled.partition_by(column, as_dict=True).items()}


def _usage(rows: pl.DataFrame) -> dict[str, Any]:
    """Tokens and cost of all questions, including the canary's; None if no row has them."""
    sums = {
        name: rows[name].sum() if rows[name].count() else None for name in ("input_tokens", "output_tokens", "cost")
    }
    return {**sums, "unpriced": int((rows["cost"].is_null() & (rows["state"] == "graded")).sum())}


def _notes(suite: pl.DataFrame, answered: pl.DataFrame, dimensions: Sequence[str]) -> Iterator[str]:
    """Yield notes: why questions have no grade, dimensions of few samples, a model that changed."""
    ungraded = suite.filter(pl.col("state") != "graded").with_columns(pl.col("reason").fill_null(""))
    for state, reason, count in (
        ungraded.group_by("state", "reason", maintain_order=True).len().sort("len", descending=True).head(4).iter_rows()
    ):
        first = str(reason).partition("\n")[0]
        yield f"{count} questions without a grade: {state.replace('_', ' ')}" + (f": {first}" if first else "")
    samples = suite["sample"].n_unique()
    for dimension in dimensions:
        count = suite.filter(pl.col("dimension") == dimension)["sample"].n_unique()
        if count < samples:
            coverage = f"{count} of {samples} samples, which its mean is over" if count else "no sample"
            yield f"{dimension}: asked for {coverage}"
    models = sorted(answered["model"].unique())
    if len(models) > 1:
        yield f"the judge changed during the run: answers from {', '.join(models)}"
