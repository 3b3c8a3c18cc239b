"""Words by type height in the table of `vde usable`, and in the data and sentences of the report."""

from __future__ import annotations

from vdebench.report.rendering import render
from vdebench.report.type_heights import heights_data, heights_table, safe_line
from vdebench.stats.type_heights import BAND_EDGES, HeightBand, HeightSummary

EDGES = list(zip(BAND_EDGES, (*BAND_EDGES[1:], None), strict=True))


def summary(words, changed, illegible=(0,) * 6, not_counted=0):
    bands = [
        HeightBand(*edges, n, lost, unread, 0, 3 if n else 0, (0.25, 0.75) if n else None)
        for edges, n, lost, unread in zip(EDGES, words, changed, illegible, strict=True)
    ]
    return HeightSummary("output", tuple(bands), 3, not_counted)


SMALL = summary((0, 200, 400, 500, 0, 9), (0, 80, 100, 1, 0, 0), (0, 20, 0, 0, 0, 0), 2)
NOTHING = HeightSummary("output", (), 0, 4)


def test_the_table_has_a_section_for_every_band_with_words():
    table = heights_table([("resize", SMALL), ("old", NOTHING)], ["a note"])
    assert table.title == "Words by type height, in pixels of the output"
    assert [(row.section, row.label) for row in table.rows] == [
        ("8–12 px", "resize"),
        ("12–16 px", "resize"),
        ("16–20 px", "resize"),
        ("30 px or more", "resize"),
    ]
    assert table.rows[0].values == [0.5, 0.25, 0.75, 0.4, 0.1, 0, 200, 3]
    assert table.notes == [
        "resize: type of 16 px or more survives (99.8 % of 509 words); below that, 66.7 % of 600 words do",
        "type survives where 99 % of its words or more are as before, from there on in every band",
        "resize: 2 samples are in no share: no output, a reader without likelihoods, or rows of an earlier version",
        "old: words by type height are not known: no output, a reader without likelihoods, or rows of an earlier "
        "version; `vde score` again counts them",
        "a note",
    ]
    assert max(map(len, render(table, "terminal", width=80).splitlines())) <= 80


def test_a_table_of_runs_without_counts_has_no_numbers():
    table = heights_table([("old", NOTHING)])
    assert not table.rows
    assert "not known" in render(table, "terminal")


def test_a_sentence_says_from_which_height_on_type_survives():
    assert safe_line("a", NOTHING) == ""
    assert safe_line("a", summary((9,) * 6, (0,) * 6)) == "a: too few words for a safe type height: fewer than 100"
    every = summary((0, 0, 300, 300, 0, 0), (0,) * 6)
    assert safe_line("jpeg", every) == "jpeg: type of every height on these pages survives (100 % of 600 words)"
    few = summary((0, 0, 30, 300, 0, 0), (0, 0, 9, 0, 0, 0))
    assert safe_line("jpeg", few) == (
        "jpeg: type of 16 px or more survives (100 % of 300 words); below that, there are only 30 words"
    )
    none = summary((0, 0, 300, 300, 0, 0), (0, 0, 0, 30, 0, 0))
    assert safe_line("vae", none) == "vae: no type height is safe: 95.0 % of 600 words survive"


def test_the_data_of_the_report_has_ceilings_first_and_sentences_on_them():
    data = heights_data(
        [("mine", summary((0, 200, 0, 0, 0, 0), (0, 200, 0, 0, 0, 0))), ("jpeg", SMALL)], {"jpeg": "JPEG of quality 75"}
    )
    assert data is not None
    assert data["bands"] == [
        {"title": "8–12 px", "words": 200},
        {"title": "12–16 px", "words": 400},
        {"title": "16–20 px", "words": 500},
        {"title": "30 px or more", "words": 9},
    ]
    assert [(row["editor"], row["ceiling"]) for row in data["rows"]] == [
        ("jpeg", "JPEG of quality 75"),
        ("mine", ""),
    ]
    assert data["rows"][0]["cells"][0] == {
        **{"value": 0.5, "low": 0.25, "high": 0.75, "words": 200},
        **{"changed": 80, "illegible": 20, "weakened": 0, "few": False},
    }
    assert [cell["few"] for cell in data["rows"][0]["cells"]] == [False, False, False, True]  # 9 words
    assert data["rows"][1]["cells"][1:] == [None, None, None]
    assert [line.partition(":")[0] for line in data["lines"]] == [
        "jpeg (JPEG of quality 75)",
        "type survives where 99 % of its words or more are as before, from there on in every band",
    ]


def test_the_data_says_where_nothing_was_counted():
    data = heights_data([("old", NOTHING)], {})
    assert data is not None
    assert (data["bands"], data["lines"], data["rows"][0]["cells"]) == ([], [], [])
    assert "old: words by type height are not known" in data["notes"][0]
    mixed = heights_data([("old", NOTHING), ("jpeg", SMALL)], {"jpeg": "JPEG of quality 75"})
    assert mixed is not None
    assert mixed["rows"][1] == {"editor": "old", "ceiling": "", "cells": [None] * 4}
    assert heights_data([], {}) is None
