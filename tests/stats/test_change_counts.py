"""Counts of changes over a run, and their columns in tables."""

from __future__ import annotations

import polars as pl

from vdebench.metrics.registry import registered
from vdebench.protocols.pages.columns import schema_of
from vdebench.report.rendering import render
from vdebench.report.run_columns import with_run_columns
from vdebench.report.usable import changes_table, usable_table
from vdebench.stats.change_counts import change_summary

COUNTS = ("unasked_changes", "changed_facts", "illegible_words", "cropped_words", "zoom")


def scores(*samples):
    """Score rows of samples: the five numbers, or None where changes were not measured."""
    rows = []
    for at, counts in enumerate(samples):
        measured = {"changes": "{}", **dict(zip(COUNTS, counts, strict=True))} if counts else {}
        rows.append({"sample": str(at), "setting": "global", "state": "scored", **measured})
        rows.append({"sample": str(at), "setting": "local", "state": "scored"})
    return pl.DataFrame(rows, schema=schema_of("scores"))


def test_means_and_totals_are_over_the_measured_samples():
    found = change_summary(scores((3, 2, 4, 0, 0.01), (0, 0, 1, 5, 0.03), None))
    assert found == {
        "measured": 2,
        "unasked_per_page": 1.5,
        "facts_per_100": 100.0,  # 2 facts in 2 edits
        "samples_with_changed_fact": 1,
        "share_with_changed_fact": 0.5,
        "illegible_words": 5,
        "cropped_words": 5,
        "mean_zoom": 0.02,
    }


def test_nothing_measured_is_not_zero():
    empty = change_summary(scores(None))
    assert empty.pop("measured") == 0
    assert set(empty.values()) == {None}
    assert change_summary(scores(None).drop("changes"))["unasked_per_page"] is None  # of an older version


def summary_of(changes):
    return {"overall": {"global": {"cdm": 1.0}, "local": {"cdm": 1.0}}, "usable": {"changes": changes}}


def test_run_columns_show_the_counts_in_the_global_setting():
    overall = with_run_columns(summary_of(change_summary(scores((3, 1, 4, 2, 0.01)))))["overall"]
    assert [overall["global"][name] for name in COUNTS] == [3.0, 100.0, 4, 2, 0.01]
    assert overall["local"] == {"cdm": 1.0}
    assert [registered()[name].title for name in COUNTS] == [
        "Unasked changes / page",
        "Changed facts / 100 edits",
        "Illegible words",
        "Cropped words",
        "Zoom",
    ]


def test_summaries_without_counts_have_no_numbers():
    for usable in (None, "x", {}, {"changes": None}, {"changes": change_summary(scores(None))}):
        overall = with_run_columns({**summary_of(None), "usable": usable})["overall"]
        assert overall["global"] == {"cdm": 1.0}


def usable_of(changes):
    rate = {"rate": 0.5, "interval": [0.2, 0.8], "n": 2, "unknown": 0, "signature": "s"}
    return {**rate, "waterfall": [{"failed": 0}] * 5, "changes": changes}


def test_the_table_of_usable_edits_has_columns_of_changes_where_they_were_measured():
    measured, not_measured = change_summary(scores((3, 1, 4, 2, 0.01))), change_summary(scores(None))
    table = usable_table([("a", usable_of(measured)), ("b", usable_of(not_measured))])
    assert [column.name for column in table.columns if column.group == "changes"] == [
        "unasked / page",
        "facts / 100 edits",
        "illegible words",
        "cropped words",
        "zoom",
    ]
    assert [row.values[-5:] for row in table.rows] == [[3.0, 100.0, 4, 2, 0.01], [None] * 5]
    assert len(usable_table([("b", usable_of(not_measured))]).columns) == len(table.columns) - 5
    assert len(usable_table([("a", usable_of(measured))], with_changes=False).columns) == len(table.columns) - 5


def test_a_table_of_changes_alone():
    table = changes_table([("a", usable_of(change_summary(scores((3, 1, 4, 2, 0.01)))))])
    assert table is not None
    assert table.rows[0].values == [3.0, 100.0, 4, 2, 0.01, 1]
    assert changes_table([("b", usable_of(change_summary(scores(None))))]) is None
    text = render(table, "terminal", width=80)
    assert max(map(len, text.splitlines())) <= 80
    assert "not shown" not in text
