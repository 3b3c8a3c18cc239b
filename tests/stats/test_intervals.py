"""Intervals of all means of a summary: as a plain loop over resamples finds them, slice by slice."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from vdebench import score
from vdebench.metrics.registry import block_metrics
from vdebench.protocols import get_protocol
from vdebench.protocols.pages.columns import schema_of
from vdebench.protocols.pages.means import means, totals
from vdebench.stats import intervals as module
from vdebench.stats.bootstrap import bootstrap, bootstrap_parts, sum_by_cluster
from vdebench.stats.intervals import with_intervals

RESAMPLES = 60


def score_rows(pages, *, seed=3):
    """Rows of one setting, a sample for every page named; the second half inserts text."""
    random = np.random.default_rng(seed)
    found = []
    for at, page in enumerate(pages):
        blocks, seen = int(random.integers(1, 9)), int(random.integers(0, 2))
        row = {"sample": f"text/{at}", "setting": "global", "state": "scored", "page": page, "width": 9}
        row |= {"operation": "text_insert" if at >= len(pages) / 2 else "text_delete", "language": "english"}
        row |= {"gt_blocks": blocks, "matched_blocks": blocks - seen, "unmatched_gt": seen, "unmatched_pred": seen}
        row |= {"iou_sum": float(random.random() * (blocks - seen)), "page_edits": at, "page_characters": 20}
        for name in block_metrics():
            row |= {f"{name}_sum": float(random.random() * blocks), f"{name}_n": blocks, f"{name}_matched_n": blocks}
        row |= {"mse": float(100 * random.random()), "psnr": float(30 * random.random()), "ssim": None}
        found.append(row)
    return pl.DataFrame(found, schema={**schema_of("scores"), "page": pl.String})


def summary_of(rows, protocol, *slices):
    """Overall and by slices, each mean as the summary makes it."""

    def mean(some):
        return {"global": means(totals([some], [], protocol)[()], protocol)}

    by = {
        name: {value: mean(rows.filter(pl.col(name) == value)) for value in sorted(rows[name].unique())}
        for name in slices
    }
    return {"overall": mean(rows), "by": by}


def by_loop(rows, protocol):
    """The bounds of the summary's own means, made anew in every resample of whole pages."""
    pages = [rows.filter(pl.col("page") == page) for page in rows["page"].unique(maintain_order=True)]
    values = []
    for drawn in np.random.default_rng(0).integers(0, len(pages), (RESAMPLES, len(pages))):
        some = pl.concat([pages[at] for at in drawn])
        values.append(means(totals([some], [], protocol)[()], protocol))
    names = [name for name, value in values[0].items() if isinstance(value, float)]
    return {name: np.quantile([each[name] for each in values], [0.025, 0.975]).tolist() for name in names}


@pytest.mark.parametrize("name", ["strict", "vde-v3"])  # over samples, over blocks
def test_as_a_plain_loop_finds_them(name, monkeypatch):
    monkeypatch.setattr(module, "RESAMPLES", RESAMPLES)
    protocol = get_protocol(name)
    rows = score_rows(["a", "b", "b", "c", "d", "e", "e", "e", "f", "g", "h", "i", "j", "k"])  # eleven pages
    made = with_intervals(summary_of(rows, protocol, "operation"), rows, protocol)
    assert made["interval"]["resamples"] == RESAMPLES
    whole, part = made["overall"]["global"], made["by"]["operation"]["text_delete"]["global"]
    for found, of in ((whole, rows), (part, rows.filter(pl.col("operation") == "text_delete"))):
        expected = by_loop(of, protocol)
        assert {"iou", "cdm", "bleu", "psnr", "psnr_pooled", "text_correctness"} <= expected.keys()
        assert found["intervals"].keys() == expected.keys()
        for metric, bounds in expected.items():
            assert found["intervals"][metric] == pytest.approx(bounds, abs=1e-9), metric


def test_samples_of_one_page_are_drawn_together():
    protocol = get_protocol("strict")
    own = score_rows([f"page {at}" for at in range(40)])
    rows = own.with_columns(page=pl.Series([f"page {at // 8}" for at in range(40)]))
    alone, together, unknown = (
        with_intervals(summary_of(each, protocol, "operation"), each, protocol)
        for each in (own, rows, own.drop("page"))
    )
    assert [made["interval"]["clusters"] for made in (alone, together, unknown)] == ["page", "page", "sample"]
    assert alone["overall"] == unknown["overall"]
    assert alone["overall"]["global"]["intervals"]["cdm"] != together["overall"]["global"]["intervals"]["cdm"]
    assert together["interval"] == {
        "method": "percentile", "level": 0.95, "resamples": 10_000, "seed": 0, "clusters": "page",
    }  # fmt: skip


def test_one_page_has_no_interval_and_what_was_given_stays_as_it_was():
    protocol = get_protocol("strict")
    rows = score_rows(["a", "a", "b", "c"])
    summary = summary_of(rows, protocol, "operation")
    made = with_intervals(summary, rows, protocol)
    assert made["by"]["operation"]["text_delete"]["global"]["intervals"] == {}  # two samples, one page
    assert set(made["by"]["operation"]["text_insert"]["global"]["intervals"]) >= {"cdm", "iou"}
    assert "intervals" not in summary["overall"]["global"]
    assert "interval" not in summary


def test_rows_without_a_page_stand_alone():
    protocol = get_protocol("strict")
    rows = score_rows(["a", None, None, "a"])
    made = with_intervals(summary_of(rows, protocol), rows, protocol)
    sums = sum_by_cluster(rows.select(pl.col("cdm_sum") / pl.col("cdm_n")).to_numpy(), np.ones((4, 1)), [0, 1, 2, 0])
    low, high = bootstrap(*sums)
    assert made["overall"]["global"]["intervals"]["cdm"] == pytest.approx([low[0], high[0]])


def test_labels_come_from_blocks(tmp_path):
    found = score(
        "examples/tiny",
        "examples/tiny/editors/sloppy",
        protocol="vde-release",
        crossed=["label,language"],
        out=tmp_path,
    )
    text = found.blocks.filter((pl.col("setting") == "global") & (pl.col("label") == "text"))
    assert len(text) > 5
    sums = text.group_by("sample", maintain_order=True).agg(pl.col("cdm").sum(), pl.col("cdm").count().alias("n"))
    low, high = bootstrap(sums.select("cdm").to_numpy(), sums.select("n").to_numpy())
    slices = found.summary["by"]
    assert slices["label"]["text"]["global"]["intervals"]["cdm"] == pytest.approx([low[0], high[0]], abs=1e-12)
    assert "cdm" in slices["label,language"]["text,english"]["global"]["intervals"]
    assert all("intervals" not in means for means in (found.summary["ocr_ceiling"] or {}).values())


def test_many_pages_are_drawn_less_often(monkeypatch):
    monkeypatch.setattr(module, "MANY_PAGES", 9)
    protocol = get_protocol("strict")
    few, many = (score_rows([f"{at}" for at in range(count)]) for count in (9, 10))
    assert with_intervals(summary_of(few, protocol), few, protocol)["interval"]["resamples"] == 10_000
    assert with_intervals(summary_of(many, protocol), many, protocol)["interval"]["resamples"] == 2_000


@pytest.mark.parametrize("size", [1, 2, 5, 8, 9, 30])  # few clusters are drawn in another way than many
def test_many_at_once_are_as_one_by_one(size):
    random = np.random.default_rng(size)
    parts = [(random.random((size, 3)), random.integers(0, 4, (size, 3)).astype(float)) for _ in range(3)]
    parts = [(np.where(under > 0, over, 0), under) for over, under in parts]
    together = bootstrap_parts([*parts, (np.ones((4, 3)), np.ones((4, 3)))], resamples=2_000)
    for (over, under), bounds in zip(parts, together, strict=False):
        np.testing.assert_allclose(bounds, bootstrap(over, under, resamples=2_000), rtol=0, atol=1e-12)
    np.testing.assert_array_equal(together[3], np.ones((2, 3)))


@pytest.mark.parametrize("size", [3, 12])
def test_no_metrics_no_bounds(size):
    nothing = np.zeros((size, 0))
    assert [len(bounds) for bounds in (*bootstrap(nothing, nothing), *bootstrap_parts([(nothing, nothing)])[0])] == [
        0
    ] * 4


def test_no_rows_no_intervals():
    protocol = get_protocol("strict")
    rows = score_rows([])
    made = with_intervals({"overall": {"global": None}, "by": {"operation": {}}}, rows, protocol)
    assert made["overall"] == {"global": None}
