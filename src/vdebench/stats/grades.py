"""Summary of a judged run: coverage, means, totals and their spread over the draws, overall and by every slice.

A sample's grade in a dimension is the mean of its graded draws. A question without a grade is in no mean and in every
count. The total is the sum of the dimensions' means over complete samples: those with a grade for all that was asked of
them. Semantic expectation is asked only where a sample has one, and its mean is over those, as in the paper.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import polars as pl

from vdebench.judges.canary_quality import GROUP, judge_quality

SLICES = ("group", "operation", "source", "tier", "language")
"""By split, operation, topic, difficulty tier and language, as far as the rows say them."""
TOP_GRADE = 5
_UNKNOWN = "unknown"


def summarise_grades(rows: pl.DataFrame, dimensions: Sequence[str], repeat: int) -> dict[str, Any]:
    """Coverage, means, breakdowns and what the canary says, of a run's rows."""
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
    """How many samples and questions there are, and how many questions are in each state."""
    states = dict(rows["state"].value_counts(sort=True).iter_rows())
    return {
        "samples": rows["sample"].n_unique(),
        "questions": len(rows),
        "graded": states.pop("graded", 0),
        **dict(sorted(states.items())),
    }


def grades_of(rows: pl.DataFrame, dimensions: Sequence[str], repeat: int) -> dict[str, Any]:
    """Means of a slice, None where nothing is graded, with the counts behind them.

    `draws` are the same means from one draw each, `spread` is their standard deviation (over n − 1), None for one draw.
    """
    means, total, complete = _means(rows, dimensions)
    draws = [_means(rows.filter(pl.col("draw") == draw), dimensions) for draw in range(repeat)]
    totals = [each for _, each, _ in draws]
    found: dict[str, Any] = {}
    for dimension in dimensions:
        asked = rows.filter(pl.col("dimension") == dimension)
        graded = asked.filter(pl.col("state") == "graded")
        by_draw = [each[dimension] for each, _, _ in draws]
        found[dimension] = {
            "mean": means[dimension],
            "n": graded["sample"].n_unique(),
            "asked": len(asked),
            "graded": len(graded),
            "coverage": len(graded) / len(asked) if len(asked) else None,
            "draws": by_draw,
            "spread": spread(by_draw),
        }
    used = [dimension for dimension in dimensions if found[dimension]["asked"]]
    return {
        "samples": rows["sample"].n_unique(),
        "complete": complete,
        "questions": len(rows),
        "graded": sum(each["graded"] for each in found.values()),
        "dimensions": found,
        "total": total,
        "total_of": TOP_GRADE * len(used),
        "mean": None if total is None else total / len(used),
        "draws": totals,
        "spread": spread(totals),
    }


def spread(values: Sequence[float | None]) -> float | None:
    """Standard deviation over n − 1 of what is known; nothing where less than two are.

    >>> spread([1.0, 3.0, None]), spread([2.0])
    (1.4142135623730951, None)
    """
    known = [value for value in values if value is not None]
    return float(np.std(known, ddof=1)) if len(known) > 1 else None


def sample_grades(rows: pl.DataFrame) -> pl.DataFrame:
    """The grade of every sample in every dimension that has one: the mean of its graded draws, in the order of keys."""
    graded = rows.filter(pl.col("state") == "graded")
    keys = [key for key in ("editor", "sample", "dimension") if key in rows.columns]
    return graded.group_by(keys).agg(pl.col("grade").cast(pl.Float64).mean()).sort(keys)


def _means(rows: pl.DataFrame, dimensions: Sequence[str]) -> tuple[dict[str, float | None], float | None, int]:
    """Mean of each dimension over the samples that have it, the total, and how many samples are complete."""
    grades = sample_grades(rows)
    asked = rows.select("sample", "dimension").unique()
    lacking = asked.join(grades, on=["sample", "dimension"], how="anti")["sample"].unique()
    complete = grades.filter(~pl.col("sample").is_in(lacking.implode()))
    means = {dimension: _mean(grades, dimension) for dimension in dimensions}
    used = set(asked["dimension"])
    parts = [_mean(complete, dimension) for dimension in dimensions if dimension in used]
    known = [part for part in parts if part is not None]
    total = sum(known) if known and len(known) == len(parts) else None
    return means, total, complete["sample"].n_unique()


def _mean(grades: pl.DataFrame, dimension: str) -> float | None:
    found = grades.filter(pl.col("dimension") == dimension)["grade"].to_numpy()
    return float(np.mean(found)) if len(found) else None


def _parts(rows: pl.DataFrame, column: str) -> dict[str, pl.DataFrame]:
    """Rows by the values of a column; those without one stand together."""
    named = rows.with_columns(pl.col(column).cast(pl.String).replace("", None).fill_null(_UNKNOWN))
    return {str(value): part for (value,), part in named.partition_by(column, as_dict=True).items()}


def _usage(rows: pl.DataFrame) -> dict[str, Any]:
    """Tokens and cost of all questions, the canary's too; None where no row knows them."""
    sums = {
        name: rows[name].sum() if rows[name].count() else None for name in ("input_tokens", "output_tokens", "cost")
    }
    return {**sums, "unpriced": int((rows["cost"].is_null() & (rows["state"] == "graded")).sum())}


def _notes(suite: pl.DataFrame, answered: pl.DataFrame, dimensions: Sequence[str]) -> Iterator[str]:
    """What no mean shows: why questions have no grade, dimensions of few samples, a model that changed."""
    lost = suite.filter(pl.col("state") != "graded").with_columns(pl.col("reason").fill_null(""))
    for state, reason, count in (
        lost.group_by("state", "reason", maintain_order=True).len().sort("len", descending=True).head(4).iter_rows()
    ):
        first = str(reason).partition("\n")[0]
        yield f"{count} questions without a grade: {state.replace('_', ' ')}" + (f": {first}" if first else "")
    samples = suite["sample"].n_unique()
    for dimension in dimensions:
        asked = suite.filter(pl.col("dimension") == dimension)["sample"].n_unique()
        if asked < samples:
            told = f"{asked} of {samples} samples, its mean is over those" if asked else "no sample"
            yield f"{dimension}: asked of {told}"
    models = sorted(answered["model"].unique())
    if len(models) > 1:
        yield f"the judge changed during the run: answers came from {', '.join(models)}"
