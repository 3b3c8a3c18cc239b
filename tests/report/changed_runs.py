"""Runs whose score rows have changes, for the tests of the report."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl

from tests.report.site_runs import EVIL, HEIGHT, WIDTH
from vdebench.changes.change import Change, Geometry, PageChanges, TypeHeight
from vdebench.core.box import Box, Size
from vdebench.pipeline.scoring.page_changes import change_numbers
from vdebench.stats.change_counts import change_summary

PAGE = Size(WIDTH, HEIGHT)
FOOT = Box(20, 200, 60, 215)
CHANGES = PageChanges(
    Geometry("same", PAGE, PAGE),
    (
        Change("added", "", EVIL, None, Box(20, 130, 100, 150), "", False, 0.7),
        Change("replaced", "59.00", "69.00", FOOT, FOOT, "price", False, 0.98, {"before": 4.5}),
        Change("lost", "2024", "", Box(20, 60, 100, 90), None, "date", True, 0.9),
    ),
    9,
    heights=(TypeHeight(15, 150, 2, 0, 1),),
)
"""One changed fact outside the regions, one inside, and one other change outside."""


def plant_changes(run: Path, by_sample: dict[str, PageChanges]) -> None:
    """Write changes into the rows and the summary of a run folder."""
    scores = pl.read_parquet(run / "scores.parquet")
    rows = []
    for row in scores.iter_rows(named=True):
        page = by_sample.get(row["sample"]) if row["setting"] == "global" else None
        rows.append({**row, **(change_numbers(page) if page else {})})
    planted = pl.DataFrame(rows, schema=scores.schema)
    planted.write_parquet(run / "scores.parquet")
    summary = json.loads((run / "summary.json").read_text("utf-8"))
    summary["usable"]["changes"] = change_summary(planted)
    (run / "summary.json").write_text(json.dumps(summary), "utf-8")
