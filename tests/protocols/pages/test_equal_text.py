"""Equal text scores 1 in the default protocol, whatever its form; the strict number stands beside; edits of form count."""

from __future__ import annotations

import pytest

from tests import pages
from tests.metrics.test_folding import FULL_WIDTH
from vdebench import score
from vdebench.protocols.pages.region_outcome import outcome
from vdebench.report.overview import editors_table

ROWS = [["Year", "Ships", "Fees"], ["2023", "412", "18.5"], ["2024", "437", "19.2"]]


def html(rows):
    lines = ["".join(f"<td>{cell}</td>" for cell in row) for row in rows]
    return "<table>" + "".join(f"<tr>{line}</tr>" for line in lines) + "</table>"


def markdown(rows):
    lines = [" | ".join(row) for row in rows]
    return "\n".join(f"| {line} |" for line in [lines[0], " | ".join("---" for _ in rows[0]), *lines[1:]])


def block(content, box=(100, 100, 900, 400), label="text"):
    return {"block_bbox": list(box), "block_label": label, "block_content": content}


def means(tmp_path, truth, prediction, **options):
    root = pages.write_suite(tmp_path, [(truth, prediction)])
    return score(root, root / "pred", setting="global", **options).summary


@pytest.mark.parametrize(
    ("truth", "read", "strict"),
    [
        ("Total price 412.7", "Total price 412.7".translate(FULL_WIDTH), 2 / 17),
        ("“Fees” stay", '"Fees" stay', 9 / 11),  # two of eleven characters
        ("ﬁrst oﬃce", "first office", 7 / 12),  # ﬁ takes two edits, ﬃ three, of twelve characters
        ("E = mc^{2}", "$$E=mc^2$$", None),
        ("カタカナ", "ｶﾀｶﾅ", 0.0),
    ],
)
def test_folded_text_scores_one_and_cdm_strict_less(tmp_path, truth, read, strict):
    summary = means(tmp_path, [block(truth)], [block(read)])
    found = summary["overall"]["global"]
    assert all(found[name] == 1.0 for name in ("cdm", "bleu", "teds_like", "text_similarity", "page_text"))
    assert found["cdm_strict"] < 1
    if strict is not None:
        assert found["cdm_strict"] == pytest.approx(strict)
    names = [column.name for column in editors_table([summary]).columns]
    assert names == ["IoU", "CDM", "BLEU", "CDM-strict", "TEDS-like", "Similar", "Text", "Page"]


def test_the_strict_column_is_not_shown_where_folding_changes_nothing(tmp_path):
    summary = means(tmp_path, [block("Total 412")], [block("Total 413")])
    assert "CDM-strict" not in [column.name for column in editors_table([summary]).columns]


def test_the_papers_protocols_fold_nothing(tmp_path):
    for protocol in ("vde-v3", "vde-release"):
        found = means(tmp_path / protocol, [block("“Fees” stay")], [block('"Fees" stay')], protocol=protocol)
        assert found["overall"]["global"]["cdm"] == pytest.approx(9 / 11)


LEFT, RIGHT = [row[:1] for row in ROWS], [row[1:] for row in ROWS]
TABLE = block(html(ROWS), label="table")


@pytest.mark.parametrize(
    "prediction",
    [
        [TABLE],
        [block(html(LEFT), (100, 100, 360, 400), "table"), block(html(RIGHT), (362, 100, 900, 400), "table")],
        [block(html(RIGHT), (362, 100, 900, 400), "table"), block(html(LEFT), (100, 100, 360, 400), "table")],
        [
            block(html([row[i : i + 1] for row in ROWS]), (100 + 260 * i, 100, 350 + 260 * i, 400), "table")
            for i in range(3)
        ],
        [block(html(ROWS[:1]), (100, 100, 900, 200), "table"), block(html(ROWS[1:]), (100, 201, 900, 400), "table")],
        [block(html(ROWS), label="text")],
        [block(markdown(ROWS), label="text")],
        [block(markdown(ROWS), label="table")],
        [block(f"\n {html(ROWS)}", label="table")],
    ],
    ids=[
        "same",
        "left and right",
        "right listed first",
        "three columns",
        "above and below",
        "as text",
        "Markdown",
        "Markdown table",
        "white space",
    ],
)
def test_identical_tables_score_one_for_any_segmentation(tmp_path, prediction):
    found = means(tmp_path, [TABLE], prediction)["overall"]["global"]
    assert (found["cdm"], found["bleu"], found["teds"], found["teds_like"]) == (1.0, 1.0, 1.0, 1.0)
    assert found["page_text"] == 1.0


def test_a_wrong_cell_is_still_wrong_in_a_table_cut_in_two(tmp_path):
    """One of nine cells has one of four characters wrong: 13 nodes, a quarter of one to edit."""
    wrong = [[cell.replace("2024", "2025") for cell in row] for row in LEFT]
    prediction = [block(html(wrong), (100, 100, 360, 400), "table"), block(html(RIGHT), (362, 100, 900, 400), "table")]
    found = means(tmp_path, [TABLE], prediction)["overall"]["global"]
    assert found["teds"] == pytest.approx(1 - 0.25 / 13)
    assert found["cdm"] < 1


@pytest.mark.parametrize(
    ("before", "wanted", "read", "expected"),
    [
        ("price 1", "price １", "price １", "done"),
        ("price 1", "price １", "price 1", "not_done"),
        ('say "yes"', "say “yes”", "say “yes”", "done"),
        ('say "yes"', "say “yes”", 'say "yes"', "not_done"),
        ('in 2023: "yes"', "in 2024: “yes”", 'in 2024: "yes"', "partly"),  # the year is done, the quotes are not
        ("in 2023 “yes”", "in 2024 “yes”", 'in 2024 "yes"', "done"),  # the edit does not change the quotes
        ("pages 3-5", "pages 3–5", "pages 3–5", "done"),
    ],
)
def test_unfolded_text_decides_edits_of_character_forms(before, wanted, read, expected):
    assert outcome(read, wanted, before) == expected


@pytest.mark.parametrize(
    ("before", "wanted", "read"),
    [
        ("aged 18 years", "aged 19 years", "aged 49 years"),
        ("rose to 412.7 million", "rose to 412.9 million", "rose to 612.9 million"),
        ("since 2023", "since 2024", "since 1024"),
        ("Mr. Smith said so", "Mr. Smyth said so", "Mr. Swyth said so"),
        ("共十八人参加", "共十九人参加", "共四九人参加"),
        ("18 km to go", "19 km to go", "19 cm to go"),
        ("items: 1200", "items: 120", "items: 220"),
    ],
)
def test_a_wrong_number_or_word_is_not_done(before, wanted, read):
    assert outcome(wanted, wanted, before) == "done"
    assert outcome(read, wanted, before) != "done"


@pytest.mark.parametrize(
    ("before", "wanted", "read"),
    [
        ("change was -5%", "change was 5%", "change was -5%"),
        ("1.5 here", "15 here", "1.5 here"),
        ("7% here", "7 here", "7% here"),
        ("change was 3", "change was 7", "change was -7"),
        ("change was 3", "change was 7", "change was 7%"),
        ("total 12 units", "total 15 units", "total 1.5 units"),
        ("The fee is 3.", "The fee is 7.", "The fee is 75"),
        ("Ships (3) came", "Ships (7) came", "Ships 17) came"),
        ("items: 3", "items: 7", "items 47"),
        ("Dear Tom,", "Dear Tim,", "Dear Time"),
        ("Q1: growth 3", "Q1: growth 7", "Q4: growth 7"),
        ("3 of 10", "7 of 10", "7 of 100"),
        ("cost 3 million", "cost 7 million", "cost 7 billion"),
        ("value 3", "value 10^6", "value 106"),
        ("riders 20,310 27,792", "riders 20,310 / 27,792", "riders 20,313 / 27,792"),
        ("a nowhere b", "a now here b", "a nowhere b"),
    ],
)
def test_marks_signs_units_and_neighbouring_numbers_count(before, wanted, read):
    assert outcome(wanted, wanted, before) == "done"
    assert outcome(read, wanted, before) != "done"


def test_long_text_is_fast():
    outcome("a b " * 4000, "a c " * 4000, "a d " * 4000)
