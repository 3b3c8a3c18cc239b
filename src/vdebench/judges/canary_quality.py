"""Quality of a judge by its grades of the canary."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import polars as pl

GROUP = "canary"
"""Group of the canary's questions, which are excluded from means."""
MUST_DIFFER: dict[str, tuple[str, ...]] = {
    "IF": ("nothing", "wrong_place"),
    "TA": ("wrong_text", "nothing"),
    "VC": ("wrong_place",),
    "LP": ("collateral", "wrong_place"),
    "SE": ("nothing",),
}
"""Cases that a judge must grade lower than the perfect edit of the same page, by dimension."""
LEAST_GAP = 0.5
"""Minimum difference of mean grades to the perfect edit."""
LEAST_SHARE = 0.75
"""Minimum share of correct comparisons in a dimension."""
LEAST_PERFECT = 3.5
"""Minimum mean grade of perfect edits."""
LEAST_ANSWERED = 0.8
"""Minimum share of graded questions."""

_Means = dict[str, dict[str, dict[str, float]]]


def judge_quality(rows: pl.DataFrame) -> dict[str, Any]:
    """Evaluate the canary's questions among the rows of a run.

    `grades` has the mean grade by dimension and case; `pairs` the cases that must be distinguished, and on how many
    pages they were; `told_apart` their share; `spread` the standard deviation of a dimension's grades over the cases;
    `trusted` is None without a canary; `verdict` is a sentence.
    """
    asked = rows.filter((pl.col("group") == GROUP) & pl.col("dimension").is_in(list(MUST_DIFFER)))
    graded = asked.filter(pl.col("state") == "graded")
    means = _means(graded)
    pairs = list(_pairs(means))
    compared = sum(pair["pages"] for pair in pairs)
    right = sum(pair["told_apart"] for pair in pairs)
    grades = {dimension: _by_case(pages) for dimension, pages in means.items()}
    quality: dict[str, Any] = {
        "asked": len(asked),
        "graded": len(graded),
        "grades": grades,
        "pairs": pairs,
        "compared": compared,
        "told_apart": right / compared if compared else None,
        "spread": {dimension: _spread(pages) for dimension, pages in means.items()},
    }
    doubts = list(_doubts(asked, graded, grades, pairs))
    trusted = not doubts if len(asked) else None
    return {**quality, "trusted": trusted, "verdict": _verdict(trusted, doubts)}


def quality_line(quality: Mapping[str, Any]) -> str:
    """Return the line about the judge's quality below tables.

    >>> quality_line({"asked": 0, "compared": 0, "verdict": "no canary was asked"})
    'canary: no canary was asked'
    """
    if not quality["compared"]:
        return f"canary: {quality['verdict']}"
    right = round(quality["told_apart"] * quality["compared"])
    return f"canary: {quality['verdict']} ({right} of {quality['compared']} comparisons right)"


def _means(graded: pl.DataFrame) -> _Means:
    """Mean over the draws, by dimension, page and case."""
    by_dimension: _Means = {}
    means = graded.group_by("dimension", "sample").agg(pl.col("grade").mean()).sort("dimension", "sample")
    for dimension, sample, grade in means.iter_rows():
        case, _, page = sample.removeprefix(f"{GROUP}/").partition(".")
        by_dimension.setdefault(dimension, {}).setdefault(page, {})[case] = grade
    return {dimension: by_dimension[dimension] for dimension in MUST_DIFFER if dimension in by_dimension}


def _pairs(means: _Means) -> Iterator[dict[str, Any]]:
    for dimension, pages in means.items():
        for worse in MUST_DIFFER[dimension]:
            gaps = [each["perfect"] - each[worse] for each in pages.values() if "perfect" in each and worse in each]
            if gaps:
                yield {
                    "dimension": dimension,
                    "better": "perfect",
                    "worse": worse,
                    "pages": len(gaps),
                    "told_apart": sum(gap >= LEAST_GAP for gap in gaps),
                    "gap": sum(gaps) / len(gaps),
                }


def _by_case(pages: Mapping[str, Mapping[str, float]]) -> dict[str, float]:
    """Mean over the pages, by case."""
    cases = sorted({case for page in pages.values() for case in page})
    by_case = {case: [page[case] for page in pages.values() if case in page] for case in cases}
    return {case: sum(grades) / len(grades) for case, grades in by_case.items()}


def _spread(pages: Mapping[str, Mapping[str, float]]) -> float:
    grades = [grade for page in pages.values() for grade in page.values()]
    mean = sum(grades) / len(grades)
    return float((sum((grade - mean) ** 2 for grade in grades) / len(grades)) ** 0.5)


def _doubts(
    asked: pl.DataFrame, graded: pl.DataFrame, grades: Mapping[str, Mapping[str, float]], pairs: list[dict[str, Any]]
) -> Iterator[str]:
    """Yield reasons not to trust the judge."""
    if len(graded) < LEAST_ANSWERED * len(asked):
        yield f"graded only {len(graded)} of {len(asked)} questions"
    for dimension in asked["dimension"].unique(maintain_order=True):
        own = [pair for pair in pairs if pair["dimension"] == dimension]
        pages, right = sum(pair["pages"] for pair in own), sum(pair["told_apart"] for pair in own)
        missed = " or ".join(pair["worse"] for pair in own if pair["told_apart"] < pair["pages"])
        if not pages:
            yield f"cannot be checked in {dimension}: too few of its questions are graded"
        elif right < LEAST_SHARE * pages:
            yield f"cannot tell {missed} from perfect in {dimension} ({right} of {pages} right)"
        elif grades[dimension].get("perfect", 0.0) < LEAST_PERFECT:
            yield f"gives perfect edits only {grades[dimension]['perfect']:.1f} in {dimension}"


def _verdict(trusted: bool | None, doubts: list[str]) -> str:
    if trusted is None:
        return "no canary was asked"
    return "tells them apart" if trusted else f"{'; '.join(doubts)}: do not trust these grades"
