"""Summaries of judged runs, with means worked out by hand."""

from __future__ import annotations

import json
import math

import polars as pl
import pytest

from vdebench.stats.grades import grades_of, sample_grades, spread, summarise_grades

DIMENSIONS = ("IF", "TA", "VC", "LP", "SE")


def row(sample, dimension, grade, draw=0, **about):
    """A row of `grades.parquet`; a text in place of a grade is the state of a failure."""
    graded = isinstance(grade, int)
    return {
        "sample": sample,
        "group": sample.partition("/")[0],
        "operation": "text_replace",
        "source": "Media_Publishing",
        "tier": "easy",
        "language": "english",
        "dimension": dimension,
        "draw": draw,
        "state": "graded" if graded else grade,
        "grade": grade if graded else None,
        "rationale": "because" if graded else "",
        "reason": "" if graded else f"it was {grade}",
        "model": "gpt-x-2026" if graded else "",
        "input_tokens": 100 if graded else None,
        "output_tokens": 10 if graded else None,
        "cost": 0.01 if graded else None,
        "seconds": 1.0,
        **about,
    }


def table(rows):
    return pl.DataFrame(rows, schema_overrides={"grade": pl.Int64, "cost": pl.Float64, "input_tokens": pl.Int64})


def run():
    """Three samples of two splits; only `manual/b` has an expectation; one answer is lost.

    |          | IF | TA      | VC | LP | SE |
    | manual/a | 4  | 2       | 3  | 5  |    |
    | manual/b | 5  | 4       | 4  | 4  | 1  |
    | web/c    | 1  | refused | 2  | 3  |    |
    """
    grades = {"manual/a": (4, 2, 3, 5), "manual/b": (5, 4, 4, 4, 1), "web/c": (1, "refused", 2, 3)}
    return table([row(s, d, g) for s, given in grades.items() for d, g in zip(DIMENSIONS, given, strict=False)])


def test_means_count_only_grades():
    overall = summarise_grades(run(), DIMENSIONS, 1)["overall"]
    means = {key: found["mean"] for key, found in overall["dimensions"].items()}
    assert means == {
        "IF": pytest.approx(10 / 3),
        "TA": 3.0,  # (2 + 4) / 2: a refusal is no 0
        "VC": 3.0,
        "LP": 4.0,
        "SE": 1.0,
    }
    assert [overall["dimensions"][key]["n"] for key in DIMENSIONS] == [3, 2, 3, 3, 1]
    assert overall["dimensions"]["TA"]["coverage"] == pytest.approx(2 / 3)
    assert overall["dimensions"]["SE"]["coverage"] == 1.0


def test_the_total_is_over_complete_samples():
    """a and b: IF 4.5, TA 3, VC 3.5, LP 4.5; SE 1 over its own sample."""
    overall = summarise_grades(run(), DIMENSIONS, 1)["overall"]
    assert overall["total"] == pytest.approx(4.5 + 3 + 3.5 + 4.5 + 1)
    assert overall["total_of"] == 25
    assert overall["mean"] == pytest.approx(16.5 / 5)
    assert (overall["samples"], overall["complete"]) == (3, 2)


def test_slices_have_totals_of_their_own():
    by = summarise_grades(run(), DIMENSIONS, 1)["by"]
    assert set(by) == {"group", "operation", "source", "tier", "language"}
    assert by["group"]["manual"]["total"] == pytest.approx(16.5)
    web = by["group"]["web"]
    assert web["total"] is None  # its one sample lacks a grade
    assert web["complete"] == 0
    assert web["total_of"] == 20  # nobody was asked for SE
    assert web["dimensions"]["SE"]["coverage"] is None
    assert web["dimensions"]["TA"]["mean"] is None
    assert web["dimensions"]["LP"]["mean"] == 3.0
    assert by["operation"]["text_replace"]["total"] == pytest.approx(16.5)


def test_a_lost_expectation_leaves_its_sample_out():
    rows = table([row("m/a", "IF", 4), row("m/b", "IF", 2), row("m/b", "SE", "timed_out")])
    found = grades_of(rows, ("IF", "SE"), 1)
    assert found["dimensions"]["IF"]["mean"] == 3.0
    assert found["complete"] == 1
    assert found["total"] is None  # of SE nothing is known, and it was asked for


def test_without_expectations_the_total_is_of_twenty():
    rows = run().filter(pl.col("dimension") != "SE")
    found = grades_of(rows, DIMENSIONS, 1)
    assert found["total"] == pytest.approx(15.5)
    assert found["total_of"] == 20


def test_coverage_counts_every_state():
    rows = table(
        [row("m/a", "IF", 4), row("m/a", "TA", "invalid"), row("m/b", "IF", "missing"), row("m/b", "TA", "missing")]
    )
    summary = summarise_grades(rows, ("IF", "TA"), 1)
    assert summary["coverage"] == {"samples": 2, "questions": 4, "graded": 1, "invalid": 1, "missing": 2}
    assert "2 questions without a grade: missing: it was missing" in summary["notes"]


def test_nothing_graded_is_no_number():
    summary = summarise_grades(table([row("m/a", "IF", "failed")]), ("IF",), 3)
    overall = summary["overall"]
    assert overall["total"] is overall["mean"] is overall["spread"] is overall["dimensions"]["IF"]["mean"] is None
    assert overall["draws"] == [None, None, None]
    json.dumps(summary, allow_nan=False)


def test_no_rows_at_all():
    empty = run().clear()
    summary = summarise_grades(empty, DIMENSIONS, 1)
    assert summary["coverage"] == {"samples": 0, "questions": 0, "graded": 0}
    assert summary["overall"]["total"] is None


def test_draws_and_their_spread():
    """IF of two samples in three draws: (4, 2), (5, 3), (3, lost): draw means 3, 4, 3; grades 4 and 2.5; mean 3.25."""
    grades = {"m/a": (4, 5, 3), "m/b": (2, 3, "rate_limited")}
    rows = table([row(s, "IF", g, draw) for s, given in grades.items() for draw, g in enumerate(given)])
    found = grades_of(rows, ("IF",), 3)
    one = found["dimensions"]["IF"]
    assert one["mean"] == 3.25  # each sample counts once, however many of its draws are there
    assert one["draws"] == [3.0, 4.0, 3.0]
    assert one["spread"] == pytest.approx(math.sqrt(1 / 3))  # mean 10/3: (1/9 + 4/9 + 1/9) / 2
    assert found["draws"] == [3.0, 4.0, 3.0]
    assert (one["asked"], one["graded"], one["n"]) == (6, 5, 2)


def test_the_spread_of_print():
    """NanoBanana's three runs: mean 16.52, deviations .04, −.06, .02."""
    assert spread([16.56, 16.46, 16.54]) == pytest.approx(math.sqrt((0.0016 + 0.0036 + 0.0004) / 2))


def test_the_canary_is_in_no_mean_and_in_the_cost():
    extra = [row("canary/perfect.en-1", "IF", 5), row("canary/nothing.en-1", "IF", 0)]
    with_canary = summarise_grades(pl.concat([run(), table(extra)]), DIMENSIONS, 1)
    without = summarise_grades(run(), DIMENSIONS, 1)
    assert with_canary["overall"] == without["overall"]
    assert with_canary["by"] == without["by"]
    assert with_canary["coverage"] == without["coverage"]
    assert with_canary["canary"]["told_apart"] == 1
    assert without["canary"]["trusted"] is None
    assert with_canary["usage"]["cost"] == pytest.approx(0.14)  # 12 of the suite's 13 questions, and two
    assert with_canary["usage"]["input_tokens"] == 1400


def test_an_unknown_price_is_no_zero():
    rows = run().with_columns(cost=pl.lit(None, pl.Float64))
    usage = summarise_grades(rows, DIMENSIONS, 1)["usage"]
    assert usage["cost"] is None
    assert usage["unpriced"] == 12


def test_a_model_that_changes_is_named():
    rows = table([row("m/a", "IF", 4), row("m/b", "IF", 2, model="gpt-x-2027")])
    summary = summarise_grades(rows, ("IF",), 1)
    assert summary["models"] == {"gpt-x-2026": 1, "gpt-x-2027": 1}
    assert any("changed during the run: answers from gpt-x-2026, gpt-x-2027" in note for note in summary["notes"])


def test_slices_without_a_name_stand_together():
    rows = table([row("m/a", "IF", 4, tier=None), row("m/b", "IF", 2, tier=""), row("m/c", "IF", 3)])
    assert {k: v["samples"] for k, v in summarise_grades(rows, ("IF",), 1)["by"]["tier"].items()} == {
        "easy": 1,
        "unknown": 2,
    }


def test_dimensions_of_few_samples_are_noted():
    notes = summarise_grades(run(), DIMENSIONS, 1)["notes"]
    assert "SE: asked for 1 of 3 samples, which its mean is over" in notes


def test_a_samples_grade_is_the_mean_of_its_draws():
    rows = table([row("m/a", "IF", 4), row("m/a", "IF", 5, 1), row("m/a", "TA", "refused")])
    assert sample_grades(rows).rows() == [("m/a", "IF", 4.5)]
