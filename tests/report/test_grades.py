"""Tables of grades: in the papers' shapes with what is printed there, and in ours."""

from __future__ import annotations

import math

import polars as pl
import pytest
from rich.cells import cell_len

from tests.stats.test_grades import DIMENSIONS, row, run, table
from vdebench.errors import VdeError
from vdebench.report.grades import AMBIGUITY, GRADED, correlation_table, grades_breakdown, grades_table
from vdebench.report.paper_tables import paper_table, require_shape
from vdebench.report.rendering import render
from vdebench.stats.grades import summarise_grades


def summary(rows, dimensions=DIMENSIONS, repeat=1, **about):
    about = {"editor": "mine", "judge": "gpt-x", "suite": "textedit", "signature": "vde|judge:gpt-x|repeat:1", **about}
    return {**about, **summarise_grades(rows, dimensions, repeat)}


def full_run(draws=1):
    """Both splits in all dimensions: manual 1, 2, 3, 4, 5 (15), one IF more in each later draw; web 4, 4, 3, 2, 2 (15)."""
    given = {"manual/a": (1, 2, 3, 4, 5), "web/b": (4, 4, 3, 2, 2)}
    return table(
        [
            row(s, d, g + (draw if d == "IF" and s == "manual/a" else 0), draw, operation=f"op_{s[0]}", tier=None)
            for s, grades in given.items()
            for d, g in zip(DIMENSIONS, grades, strict=True)
            for draw in range(draws)
        ]
    )


def ambiguity_run(target):
    """Two instructions, English and Chinese: `target` and 4 in the first dimension, 1 in all others."""
    return table(
        [
            row(f"m/{lang[0]}", d, g if d == "target" else 1, language=lang)
            for lang, g in (("english", target), ("simplified_chinese", 4))
            for d in AMBIGUITY
        ]
    )


def cells(table, label):
    found = next(row for row in table.rows if row.label == label)
    return [None if value is None else round(value, 3) for value in found.values]


@pytest.mark.parametrize(
    ("shape", "label", "expected"),
    [
        # from the papers' pages, by eye
        ("textedit:4", "NanoBanana †", [2.90, 3.25, 3.40, 4.46, 2.53, 16.54, 3.18, 3.60, 3.94, 4.77, 2.73, 18.22]),
        ("textedit:4", "MagicBrush †", [0.73, 0.73, 0.60, 1.18, 0.62, 3.86, 0.59, 0.80, 0.64, 1.42, 0.67, 4.12]),
        ("textedit:5", "Qwen-Image-Edit †", [16.64, 18.38, 16.48, 18.71, 16.58, 18.70, 0.081, 0.188]),
        ("vde-v3:5", "Spatial", [1.316, 1.249, 1.453, 1.252, 1.699, 2.389, 1.560]),
        ("vde-v3:5", "Overall", [1.202, 1.111, 1.129, 1.177, 1.528, 1.640, 1.298]),
        ("vde-v3:6", "EN-CH", [1.286, 1.236, 1.240, 1.291, 1.715, 1.817, 1.431]),
        ("vde-v3:7", "Linguistic", [1.732, 1.384, 1.619, 1.427, 1.328, 1.895, 1.564]),
    ],
)
def test_published_rows_stand_as_printed(shape, label, expected):
    table = paper_table(shape, [], published=True)
    assert cells(table, label) == expected
    assert "† published in the paper, not measured here" in table.notes


def test_what_print_calls_overall():
    """In table 7 it is the mean of the six, in table 5 it is not: the note says so, and it must stay true."""
    for shape, is_mean in (("vde-v3:5", False), ("vde-v3:7", True)):
        table = paper_table(shape, [], published=True)
        *six, overall = (list(row.values[:6]) for row in table.rows)
        off = [abs(sum(each) / 6 - told) for *each, told in zip(*six, overall, strict=True)]
        assert (max(off) < 0.0006) is is_mean
        assert any("not the mean of the six" in note for note in table.notes) is not is_mean


def test_the_split_table():
    table = paper_table("textedit:4", [summary(full_run())], published=True)
    assert cells(table, "mine") == [1, 2, 3, 4, 5, 15, 4, 4, 3, 2, 2, 15]
    assert [column.group for column in table.columns] == ["Synthetic"] * 6 + ["Real-World"] * 6
    assert len(table.rows) == 14
    assert any(
        "graded by gpt-4o with the paper's prompts, not comparable with grades by gpt-x" in n for n in table.notes
    )
    best = {table.rows[r].label for r, _ in table.best()}
    assert best == {
        "Qwen-Image-Edit †",
        "NanoBanana †",
        "Seedream †",
    }  # the highest of print, by eye; ours stands alone


def test_a_total_of_less_than_five_dimensions_is_not_shown_as_one_of_25():
    table = paper_table("textedit:4", [summary(run())])
    found = cells(table, "mine")
    assert found[:6] == [4.5, 3, 3.5, 4.5, 1, 16.5]
    assert found[6:] == [1, None, 2, 3, None, None]  # one answer refused, no expectation asked for
    text = render(table, "terminal")
    assert "3 samples, 13 questions: 12 graded, 1 refused" in text
    assert "the total is over the 2 samples with all their grades" in text


def test_a_split_without_expectations_has_no_total_beside_the_others():
    """web is complete with 4 + 4 + 3 + 2 = 13, but of 20."""
    rows = full_run().filter((pl.col("group") != "web") | (pl.col("dimension") != "SE"))
    given = summary(rows)
    assert given["by"]["group"]["web"]["total"] == 13
    assert cells(paper_table("textedit:4", [given]), "mine") == [1, 2, 3, 4, 5, 15, 4, 4, 3, 2, None, None]
    assert cells(paper_table("textedit:5", [given]), "mine") == [15, *[None] * 7]
    assert [row.values[5] for row in grades_table([given]).rows] == [
        pytest.approx(2.5 + 3 + 3 + 3 + 5),  # over both, SE over its own
        15,
        None,
    ]


def test_repeated_runs():
    """Totals of manual: 15, 16, 17 (deviation 1); of web: 15 each."""
    table = paper_table("textedit:5", [summary(full_run(3), repeat=3)], published=True)
    assert cells(table, "mine") == [15, 15, 16, 15, 17, 15, 1, 0]
    assert cells(table, "NanoBanana †")[-2] == round(math.sqrt(0.0028), 3)
    once = paper_table("textedit:5", [summary(full_run())])
    assert cells(once, "mine") == [15, 15, None, None, None, None, None, None]  # one run has no spread
    five = paper_table("textedit:5", [summary(full_run(5), repeat=5)], published=True)
    assert len(five.columns) == 12
    assert cells(five, "NanoBanana †")[4:10] == [16.54, 18.22, None, None, None, None]


def test_ambiguity_by_dimension_and_language():
    """target: (2 + 4) / 2 and (5 + 4) / 2; the other five 1; overall (3 + 5) / 6 and (4.5 + 5) / 6."""
    judges = [summary(ambiguity_run(t), AMBIGUITY, judge=name, editor="") for t, name in ((2, "one"), (5, "two"))]
    table = paper_table("vde-v3:5", judges, published=True)
    assert [column.name for column in table.columns][:4] == ["one", "two", "Avg.", "Claude †"]
    assert cells(table, "Target")[:4] == [3, 4.5, 3.75, 1.357]
    assert cells(table, "Operation")[:3] == [1, 1, 1]
    assert cells(table, "Overall")[:3] == [round(8 / 6, 3), round(9.5 / 6, 3), round(17.5 / 12, 3)]
    by_language = paper_table("vde-v3:6", judges)
    assert cells(by_language, "EN") == [round(7 / 6, 3), round(10 / 6, 3), round(17 / 12, 3)]
    assert cells(by_language, "CH") == [1.5, 1.5, 1.5]
    assert cells(by_language, "EN-CH") == [None, None, None]
    assert cells(paper_table("vde-v3:7", judges), "Target") == [3, 4.5, 3.75]
    silent = summary(ambiguity_run(2).with_columns(state=pl.lit("refused"), grade=pl.lit(None, pl.Int64)), AMBIGUITY)
    assert cells(paper_table("vde-v3:7", [*judges, silent]), "Target") == [3, 4.5, None, 3.75]
    assert any(note.startswith("one, two: vde|") for note in table.notes)


@pytest.mark.parametrize("shape", GRADED)
@pytest.mark.parametrize("form", ["terminal", "markdown", "csv", "latex"])
def test_every_shape_has_every_form_and_says_coverage(shape, form):
    ambiguous = shape.startswith("vde")
    given = summary(ambiguity_run(2), AMBIGUITY) if ambiguous else summary(full_run())
    text = render(paper_table(shape, [given], published=True), form)
    told = text.replace("\\", "")
    assert f"2 samples, {12 if ambiguous else 10} questions" in told
    assert "canary: no canary was asked" in told
    assert "vde" in told
    if form == "terminal":
        assert max(map(cell_len, text.splitlines())) <= 100


def test_shapes_are_refused_for_other_runs():
    with pytest.raises(VdeError, match="textedit:4 shows grades for IF, TA, VC, LP, SE; mine's run has none"):
        paper_table("textedit:4", [summary(ambiguity_run(2), AMBIGUITY)])
    with pytest.raises(VdeError, match="by TextEditBench's splits, manual and web; textedit has text"):
        paper_table("textedit:4", [summary(table([row("text/1", "IF", 3)]), ("IF",))])
    with pytest.raises(VdeError, match="vde-v3:2 shows scores; the run on textedit contains grades"):
        paper_table("vde-v3:2", [summary(full_run())])
    with pytest.raises(VdeError, match="none of them"):
        paper_table("textedit:5", [{"editor": "scored", "suite": "s", "protocol": "textedit", "by": {"group": {}}}])
    with pytest.raises(VdeError, match=r"textedit:9.*textedit:4"):
        require_shape("textedit:9")


def test_editors_side_by_side():
    other = summary(full_run().with_columns(grade=pl.lit(2, pl.Int64)), editor="other")
    table = grades_table([summary(run()), other])
    assert [(r.section, r.label) for r in table.rows] == [
        (section, name) for section in ("all", "manual", "web") for name in ("mine", "other")
    ]
    assert [column.name for column in table.columns] == [*DIMENSIONS, "Overall /25", "graded %"]
    assert [round(v, 2) for v in table.rows[0].values] == [3.33, 3, 3, 4, 1, 16.5, 92.31]  # 12 of 13 questions
    assert table.rows[1].values == [2, 2, 2, 2, 2, 10, 100]
    assert table.rows[4].values[5] is None  # web of `run` could be of 20 only
    assert "Graded by gpt-x" in table.title
    assert "mine, other: canary: no canary was asked" in table.notes
    assert "mine: note: SE: asked for 1 of 3 samples, which its mean is over" in table.notes


def test_judges_of_instructions_side_by_side():
    judges = [summary(ambiguity_run(t), AMBIGUITY, judge=name, editor="") for t, name in ((2, "one"), (5, "two"))]
    table = grades_table(judges)
    assert (table.head, table.columns[0].name, table.columns[6].name) == ("Judge", "Target", "Mean")
    assert {column.best for column in table.columns[:7]} == {"lower"}
    assert cells(table, "one") == [3, 1, 1, 1, 1, 1, round(8 / 6, 3), 100]
    assert grades_breakdown(judges[1], "language").title == "two by language"


def test_an_untrusted_judge_is_called_out_under_the_table():
    canary = table([row(f"canary/{case}.en-1", "IF", 5) for case in ("perfect", "nothing", "wrong_place")])
    found = grades_table([summary(pl.concat([run(), canary]))])
    told = next(note for note in found.notes if "canary:" in note)
    assert "cannot tell nothing or wrong_place from perfect in IF" in told
    assert "do not trust these grades (0 of 2 comparisons right)" in told


def test_one_editor_by_slices():
    by_operation = grades_breakdown(summary(full_run()), "operation")
    assert [(r.label, list(r.values)) for r in by_operation.rows] == [
        ("op_m", [1, 2, 3, 4, 5, 15, 100, 1]),
        ("op_w", [4, 4, 3, 2, 2, 15, 100, 1]),
    ]
    assert grades_breakdown(summary(full_run()), "source").head == "topic"
    assert [r.label for r in grades_breakdown(summary(full_run()), "tier").rows] == ["unknown"]


def test_a_run_without_any_grade_has_dashes():
    rows = table([row("manual/a", d, "failed") for d in DIMENSIONS])
    text = render(grades_table([summary(rows)]), "markdown")
    assert "| mine | – | – | – | – | – | – | 0.0 |" in text
    assert "5 failed" in text


def test_people_beside(tmp_path):
    from vdebench.report.grades import correlate

    file = tmp_path / "scores.csv"
    file.write_text("sample,dimension,score\nmanual/a,VC,3\nmanual/b,VC,4\nweb/c,VC,2\nweb/d,VC,1\nmanual/a,SE,5\n")
    table = correlation_table(correlate(run(), file))
    assert cells(table, "VC") == [1, 1, 3]
    assert "2 of 5 scores have no grade: manual/a …" in table.notes
    assert cells(table, "Per sample") == [1, 1, 3]
