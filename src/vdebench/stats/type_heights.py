"""Words that can be read by type height, from the rows of a run, and the height from which on type is safe.

Samples whose words were not counted (no output, another reader, an older version) are in no share.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypeGuard

import polars as pl

from vdebench.changes.change import Geometry, TypeHeight
from vdebench.stats.rates import share_interval

BAND_EDGES = (0, 8, 12, 16, 20, 30)
"""Lower edges of the bands in pixels; the last has no upper edge."""
SAFE_SHARE = 0.99
"""Least share of the words that is kept at safe type heights."""
MIN_WORDS = 100
"""Least number of words from which type heights can be called safe, or a band unsafe whatever its interval."""
HeightSlice = Literal["height", "page_height"]
HEIGHT_SLICES: Mapping[HeightSlice, str] = {"height": "output", "page_height": "reference"}
"""Names of the slices, and the image in whose pixels heights are measured."""


def is_height_slice(name: str) -> TypeGuard[HeightSlice]:
    """Whether a slice is one of words by type height."""
    return name in HEIGHT_SLICES


class HeightBand(NamedTuple):
    """The words of one band of type heights; each counts once."""

    low: int
    high: int | None
    words: int
    changed: int
    illegible: int
    weakened: int
    samples: int
    interval: tuple[float, float] | None
    """Interval of the share of safe words."""

    @property
    def safe(self) -> float | None:
        """Share of the words that were neither changed nor weakened, and can be read; None without words."""
        return self.share(self.words - self.changed - self.illegible - self.weakened)

    def share(self, count: int) -> float | None:
        """Share of the words; None without words."""
        return count / self.words if self.words else None

    @property
    def title(self) -> str:
        """The heights in words.

        >>> [HeightBand(*edges, 0, 0, 0, 0, 0, None).title for edges in ((0, 8), (8, 12), (30, None))]
        ['below 8 px', '8–12 px', '30 px or more']
        """
        if self.high is None:
            return f"{self.low} px or more"
        return f"{self.low}–{self.high} px" if self.low else f"below {self.high} px"

    def to_json(self) -> dict[str, Any]:
        """Return JSON data."""
        counts = {name: getattr(self, name) for name in ("changed", "illegible", "weakened")}
        return {
            **{"low": self.low, "high": self.high, "words": self.words, "samples": self.samples, "safe": self.safe},
            "interval": list(self.interval) if self.interval else None,
            **{name: self.share(count) for name, count in counts.items()},
        }


@dataclass(frozen=True)
class HeightSummary:
    """The words of a run by type height."""

    pixels: str
    """The image in whose pixels heights are measured: `output` or `reference`."""
    bands: tuple[HeightBand, ...]
    """All bands, also those without words; empty if no sample was counted."""
    counted: int
    """Samples whose words were counted."""
    not_counted: int

    @property
    def safe_from(self) -> int | None:
        """The lowest edge of a band from which on type is safe; None if there is none.

        From there on 99 % of all words are safe, and of those of every band. A band with few words ends the safe
        heights only if its interval is below that share: one word of 60 may be an error of the reader.
        """
        edge, words, safe = None, 0, 0.0
        for band in reversed(self.bands):
            if band.safe is None or band.interval is None:
                continue
            if band.safe < SAFE_SHARE and (band.words >= MIN_WORDS or band.interval[1] < SAFE_SHARE):
                break
            words, safe = words + band.words, safe + band.safe * band.words
            if words >= MIN_WORDS and safe >= SAFE_SHARE * words:
                edge = band.low
        return edge

    @property
    def enough(self) -> bool:
        """Whether there are enough words for a statement on safe type heights."""
        return sum(band.words for band in self.bands) >= MIN_WORDS

    def to_json(self) -> dict[str, Any]:
        """Return JSON data."""
        return {
            **{"pixels": self.pixels, "counted": self.counted, "not_counted": self.not_counted},
            **{"safe_share": SAFE_SHARE, "safe_from": self.safe_from},
            "bands": [band.to_json() for band in self.bands],
        }


class _SampleWords(NamedTuple):
    page: str
    heights: Sequence[tuple[int, TypeHeight]]
    """Each height in pixels, and its words."""


def height_summary(scores: pl.DataFrame, by: HeightSlice = "height") -> HeightSummary:
    """Add up the words of a run's samples by type height, in pixels of the outputs or of the references."""
    pixels = HEIGHT_SLICES[by]
    rows = scores.filter(pl.col("setting") == "global")
    samples = []
    if {"changes", "page"} <= set(scores.columns):
        for page, changes in rows.select("page", "changes").iter_rows():
            heights = _heights(changes, pixels)
            if heights is not None:
                samples.append(_SampleWords(page, heights))
    edges = (*BAND_EDGES, None)
    bands = [_band(samples, low, high) for low, high in zip(BAND_EDGES, edges[1:], strict=True)] if samples else []
    return HeightSummary(pixels, tuple(bands), len(samples), len(rows) - len(samples))


def _heights(changes: str | None, pixels: str) -> list[tuple[int, TypeHeight]] | None:
    """Return the words of a sample by height in whole pixels; None if they were not counted."""
    data = json.loads(changes) if changes else {}
    if data.get("heights") is None or data.get("unknown"):
        return None
    scale = Geometry.from_json(data["geometry"]).enlargement if pixels == "output" else 1.0
    return [(round(scale * row[0]), TypeHeight(*row)) for row in data["heights"]]


def _band(samples: Sequence[_SampleWords], low: int, high: int | None) -> HeightBand:
    """Add up the words of one band."""
    totals = dict.fromkeys(("words", "changed", "illegible", "weakened"), 0)
    counts, pages = [], []
    for sample in samples:
        rows = [row for height, row in sample.heights if height >= low and (high is None or height < high)]
        if not rows:
            continue
        of_sample = {name: sum(getattr(row, name) for row in rows) for name in totals}
        totals = {name: totals[name] + of_sample[name] for name in totals}
        safe = of_sample["words"] - of_sample["changed"] - of_sample["illegible"] - of_sample["weakened"]
        counts.append((safe, of_sample["words"]))
        pages.append(sample.page)
    return HeightBand(low, high, **totals, samples=len(counts), interval=share_interval(counts, pages))
