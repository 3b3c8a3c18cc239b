"""Words by type height over a run's rows."""

from __future__ import annotations

import json

import polars as pl
import pytest

from vdebench.changes.change import Geometry, PageChanges, TypeHeight
from vdebench.core.box import Size
from vdebench.protocols.pages.columns import schema_of
from vdebench.stats.rates import rate_interval, share_interval
from vdebench.stats.type_heights import height_summary

PAGE = Size(800, 1000)


def changes(*heights, after=PAGE, unknown=""):
    rows = tuple(TypeHeight(*each) for each in heights)
    return json.dumps(PageChanges(Geometry("scaled", PAGE, after), heights=rows, unknown=unknown).to_json())


def scores(*samples):
    """Rows of samples: the page and the changes, or None where there are none."""
    rows = [
        {"sample": str(at), "setting": setting, "page": page, "changes": text if setting == "global" else None}
        for at, (page, text) in enumerate(samples)
        for setting in ("global", "local")
    ]
    return pl.DataFrame(rows, schema=schema_of("scores"))


def test_shares_are_of_all_words_of_a_band():
    found = height_summary(
        scores(
            ("a", changes((10, 60, 3, 6, 1), (11, 40, 2, 0, 0), (16, 100, 0, 0, 0))),
            ("b", changes((10, 100, 0, 0, 0), (40, 20, 0, 0, 0))),
            ("c", None),
        )
    )
    assert (found.counted, found.not_counted, found.pixels) == (2, 1, "output")
    bands = {band.low: band for band in found.bands}
    assert list(bands) == [0, 8, 12, 16, 20, 30]
    small = bands[8]
    assert small[2:7] == (200, 5, 6, 1, 2)
    assert small.safe == 0.94  # 188 of 200
    assert small.interval == share_interval([(88, 100), (100, 100)], ["a", "b"])
    assert (bands[16].safe, bands[16].words, bands[30].words) == (1, 100, 20)
    assert (bands[0].safe, bands[0].interval) == (None, None)


def test_heights_are_of_the_output_or_of_the_reference():
    rows = scores(("a", changes((20, 100, 0, 0, 0), (16, 50, 9, 0, 0), after=Size(400, 500))))
    output, reference = height_summary(rows), height_summary(rows, "page_height")
    assert {band.low: band.words for band in output.bands if band.words} == {8: 150}  # 10 and 8 px at half the size
    assert {band.low: band.words for band in reference.bands if band.words} == {16: 50, 20: 100}


def test_safe_heights_begin_above_the_highest_band_with_losses():
    def safe_from(*heights):
        return height_summary(scores(("a", changes(*heights)))).safe_from

    assert safe_from((10, 200, 50, 0, 0), (14, 200, 1, 0, 0), (18, 200, 0, 0, 0), (40, 200, 2, 0, 0)) == 12
    assert safe_from((10, 200, 0, 0, 0), (14, 200, 0, 0, 5), (18, 200, 0, 0, 0)) == 16  # weakened words are not safe
    assert safe_from((10, 200, 0, 0, 0), (40, 200, 0, 9, 0)) is None
    assert safe_from((10, 200, 0, 0, 0)) == 8
    # 20 large words are too few to be called safe; one lost word does not end the safe heights (219 of 220), 15 do
    assert safe_from((18, 200, 0, 0, 0), (40, 20, 0, 0, 0)) == 16
    assert safe_from((18, 200, 0, 0, 0), (40, 20, 1, 0, 0)) == 16
    assert safe_from((18, 100, 0, 0, 0), (40, 20, 2, 0, 0)) is None  # 118 of 120
    assert safe_from((18, 2000, 0, 0, 0), (40, 20, 15, 0, 0)) is None
    assert safe_from((40, 20, 0, 0, 0)) is None


def test_runs_without_counts_have_no_numbers():
    older = json.dumps({name: value for name, value in json.loads(changes()).items() if name != "heights"})
    failed = changes((10, 5, 0, 0, 0), unknown="the reader failed")
    for rows in (scores(("a", older), ("b", None), ("c", failed)), scores(("a", None)).drop("changes")):
        found = height_summary(rows)
        assert (found.bands, found.counted, found.safe_from) == ((), 0, None)
        assert found.not_counted == len(rows) // 2
    assert PageChanges.from_json(json.loads(older)).heights is None


def test_the_interval_of_words_is_that_of_a_rate_with_pages():
    counts, pages = [(7, 10), (9, 10), (2, 5), (0, 0)], ["a", "b", "a", "c"]
    passed = [at < good for good, words in counts for at in range(words)]
    labels = [page for page, (_, words) in zip(pages, counts, strict=True) for _ in range(words)]
    assert share_interval(counts, pages) == pytest.approx(rate_interval(passed, labels))
    assert share_interval([(300, 300), (50, 50)], ["a", "b"]) == pytest.approx(rate_interval([True] * 2))
    assert share_interval([(0, 0)], ["a"]) is None
