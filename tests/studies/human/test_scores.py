"""Grades against people's scores: by hand and by SciPy."""

from __future__ import annotations

from random import Random

import polars as pl
import pytest
from scipy import stats

from tests.stats.test_grades import row, table
from vdebench.errors import InputError, VdeError
from vdebench.report.human.tables import scores_table
from vdebench.studies.human.scores import correlate, read_human_scores


@pytest.fixture
def write(tmp_path):
    def write(text):
        file = tmp_path / "scores.csv"
        file.write_bytes(text if isinstance(text, bytes) else text.encode())
        return file

    return write


def grades(**given):
    return table([row(f"m/{s}", d, g) for d, by_sample in given.items() for s, g in by_sample.items()])


def test_by_hand(write):
    """Scores 1, 2, 3, 4 and grades 2, 1, 4, 3: deviations −1.5 … 1.5 and −.5, −1.5, 1.5, .5; 3 / 5 = 0.6 both ways."""
    file = write("sample,dimension,score\nm/a,IF,1\nm/b,IF,2\nm/c,IF,3\nm/d,IF,4\n")
    found = correlate(grades(IF={"a": 2, "b": 1, "c": 4, "d": 3}), file)
    assert found["dimensions"]["IF"] == {"n": 4, "pearson": pytest.approx(0.6), "spearman": pytest.approx(0.6)}
    assert found["overall"]["pearson"] == pytest.approx(0.6)
    assert (found["scores"], found["without_grade"]) == (4, 0)


def test_order_is_not_distance(write):
    """Scores 1, 2, 9 and grades 1, 2, 3: the same order; Pearson 8 / sqrt(38 · 2)."""
    file = write("sample,dimension,score\nm/a,TA,1\nm/b,TA,2\nm/c,TA,9\n")
    found = correlate(grades(TA={"a": 1, "b": 2, "c": 3}), file)["dimensions"]["TA"]
    assert found["spearman"] == pytest.approx(1)
    assert found["pearson"] == pytest.approx(8 / 76**0.5)


def test_by_scipy_with_ties_draws_and_several_people(write):
    rng = Random(4)
    samples = [f"s{i}" for i in range(40)]
    drawn = {s: [rng.randint(0, 5) for _ in range(3)] for s in samples}
    scored = {s: [rng.randint(1, 5), rng.randint(1, 5)] for s in samples}
    rows = table([row(f"m/{s}", "LP", g, draw) for s in samples for draw, g in enumerate(drawn[s])])
    lines = [f"m/{s},LP,{score}" for s in rng.sample(samples, 40) for score in scored[s]]
    found = correlate(rows, write("sample,dimension,score\n" + "\n".join(lines)))["dimensions"]["LP"]
    judge, people = [sum(drawn[s]) / 3 for s in samples], [sum(scored[s]) / 2 for s in samples]
    assert found["n"] == 40
    assert found["pearson"] == pytest.approx(stats.pearsonr(people, judge).statistic, abs=1e-12)
    assert found["spearman"] == pytest.approx(stats.spearmanr(people, judge).statistic, abs=1e-12)


def test_three_coefficients_with_intervals(write):
    rng = Random(9)
    samples = [f"s{i}" for i in range(30)]
    judge = {s: rng.randint(0, 5) for s in samples}
    people = {s: judge[s] + rng.randint(-1, 1) for s in samples}
    file = write("sample,dimension,score\n" + "".join(f"m/{s},VC,{people[s]}\n" for s in samples))
    found = correlate(grades(VC=judge), file)
    for name in ("VC", "overall"):
        one = found["coefficients"][name]
        series = [people[s] for s in samples], [judge[s] for s in samples]
        assert one["n"] == 30
        assert one["spearman"]["value"] == pytest.approx(stats.spearmanr(*series).statistic)
        assert one["kendall"]["value"] == pytest.approx(stats.kendalltau(*series).statistic)
        assert one["pearson"]["value"] == pytest.approx(stats.pearsonr(*series).statistic)
        for coefficient in ("spearman", "kendall", "pearson"):
            low, high = one[coefficient]["interval"]
            assert low < one[coefficient]["value"] < high
    assert correlate(grades(VC=judge), file) == found
    assert correlate(grades(VC=judge), file, seed=1)["coefficients"] != found["coefficients"]


def test_editors_outputs_of_one_sample_are_drawn_together(write):
    """The same scores of four editors say no more than one's: the interval is as wide."""
    rng = Random(2)
    judge = {f"s{i}": rng.randint(0, 5) for i in range(20)}
    people = {s: grade + rng.randint(-2, 2) for s, grade in judge.items()}
    lines = {e: "".join(f"{e},m/{s},VC,{x}\n" for s, x in people.items()) for e in "wxyz"}
    head = "editor,sample,dimension,score\n"
    rows = pl.concat([grades(VC=judge).with_columns(editor=pl.lit(e)) for e in "wxyz"])
    four = correlate(rows, write(head + "".join(lines.values())))["coefficients"]["VC"]
    one = correlate(grades(VC=judge), write(head + lines["w"]), "w")["coefficients"]["VC"]
    assert (four["n"], one["n"]) == (80, 20)
    assert four["pearson"]["interval"] == pytest.approx(one["pearson"]["interval"], abs=0.02)


def test_table_with_intervals_and_what_is_missing(write):
    file = write("sample,dimension,score\nm/a,IF,1\nm/b,IF,2\nm/c,IF,3\nm/d,IF,4\nm/e,IF,4\nm/a,TA,3\n")
    shown = scores_table(correlate(grades(IF={"a": 2, "b": 1, "c": 4, "d": 3}, TA={"a": 3}), file))
    rows = {row.label: row.values for row in shown.rows}
    assert [rows["IF"][at] for at in (0, 3, 6, 9)] == pytest.approx([0.6, 1 / 3, 0.6, 4])
    assert rows["TA"] == [None] * 9 + [1]
    assert "TA: 1 pairs, at least 3 are needed" in shown.notes
    assert "1 of 6 scores have no grade: m/e …" in shown.notes
    assert any(note.startswith("Intervals of fewer than 20 pairs") for note in shown.notes)


def test_one_score_for_the_whole_edit(write):
    """As in the paper: each sample's score against the mean of its grades: 3, 2, 4 to scores 30, 20, 40."""
    file = write("sample,dimension,score\nm/a,Overall,30\nm/b,overall,20\nm/c,OVERALL,40\n")
    found = correlate(grades(IF={"a": 2, "b": 1, "c": 5}, TA={"a": 4, "b": 3, "c": 3}), file)
    assert found["overall"] == {"n": 3, "pearson": pytest.approx(1), "spearman": pytest.approx(1)}
    assert found["dimensions"] == {}


def test_over_samples_only_what_both_graded(write):
    """b has no score for TA: its IF stands alone."""
    file = write("sample,dimension,score\nm/a,IF,1\nm/a,TA,3\nm/b,IF,3\nm/c,IF,5\nm/c,TA,5\n")
    found = correlate(grades(IF={"a": 1, "b": 2, "c": 3}, TA={"a": 1, "b": 5, "c": 3}), file)
    assert found["overall"]["pearson"] == pytest.approx(stats.pearsonr([2, 3, 5], [1, 2, 3]).statistic)
    assert found["dimensions"]["TA"]["reason"] == "2 pairs, at least 3 are needed"


def test_failures_and_canaries_are_no_pairs(write):
    file = write("sample,dimension,score\nm/a,IF,1\nm/b,IF,2\nm/c,IF,4\nm/d,IF,5\ncanary/x.en-1,IF,1\n")
    rows = pl.concat([grades(IF={"a": 1, "b": 2, "c": 4, "d": "refused"}), table([row("canary/x.en-1", "IF", 5)])])
    found = correlate(rows, file)
    assert found["dimensions"]["IF"]["n"] == 3
    assert found["dimensions"]["IF"]["pearson"] == pytest.approx(1)
    assert found["without_grade"] == 2
    assert found["first_without_grade"] == "canary/x.en-1"


@pytest.mark.parametrize(
    ("scores", "given", "reason"),
    [
        ((3, 3, 3), (1, 2, 3), "all human scores are the same"),
        ((1, 2, 3), (4, 4, 4), "all grades are the same"),
        ((1, 2), (1, 2), "2 pairs, at least 3 are needed"),
    ],
)
def test_what_cannot_be_told_is_none(write, scores, given, reason):
    file = write("sample,dimension,score\n" + "".join(f"m/{s},IF,{x}\n" for s, x in zip("abc", scores, strict=False)))
    found = correlate(grades(IF=dict(zip("abc", given, strict=False))), file)["dimensions"]["IF"]
    assert found == {"n": len(scores), "pearson": None, "spearman": None, "reason": reason}


def test_editors_are_kept_apart(write):
    file = write("editor,sample,dimension,score\nx,m/a,IF,1\nx,m/b,IF,2\ny,m/a,IF,3\ny,m/b,IF,5\n")
    x, y = grades(IF={"a": 1, "b": 2}), grades(IF={"a": 3, "b": 5})
    both = pl.concat([x.with_columns(editor=pl.lit("x")), y.with_columns(editor=pl.lit("y"))])
    assert correlate(both, file)["dimensions"]["IF"] == {
        "n": 4,
        "pearson": pytest.approx(1),
        "spearman": pytest.approx(1),
    }
    assert correlate(x, file, editor="x")["dimensions"]["IF"]["n"] == 2
    with pytest.raises(VdeError, match="names editors"):
        correlate(x, file)
    with pytest.raises(VdeError, match="grades of 2 editors"):
        correlate(both, write("sample,dimension,score\nm/a,IF,1\n"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("sample,score\nm/a,1\n", r"no column 'dimension' \(its columns: sample, score\)"),
        ("", r"no column 'sample' \(its columns: none\)"),
        ("sample,dimension,score\n", "contains no scores"),
        ("sample,dimension,score\nm/a,IF,1\nm/b,IF,good\n", "line 3: score 'good', expected a number"),
        ("sample,dimension,score\nm/a,IF,nan\n", "line 2: score 'nan'"),
        ("sample,dimension,score\nm/a,IF\n", "line 2: score None"),
        (b"sample,dimension,score\nm/\xff,IF,1\n", "not UTF-8 at byte 25"),
    ],
)
def test_files_that_are_no_scores_are_named(write, text, message):
    with pytest.raises(InputError, match=message):
        read_human_scores(write(text))


def test_heads_and_names_as_people_write_them(write):
    file = write(b"\xef\xbb\xbfSample, Dimension ,SCORE\r\nm/a, if ,4\r\n")
    assert read_human_scores(file).rows() == [("m/a", "IF", 4.0)]
