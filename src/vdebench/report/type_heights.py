"""Words that survive by type height: the table of `vde usable --by height`, and the data of the report."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from vdebench.report.table import Column, Row, Table
from vdebench.stats.type_heights import MIN_WORDS, SAFE_SHARE, HeightBand, HeightSummary

_SHARE = "share of words"
_COLUMNS = (
    Column("safe", "higher", 4, group=_SHARE, headline=True),
    Column("low", "", 4, group=_SHARE),
    Column("high", "", 4, group=_SHARE),
    Column("changed", "lower", 4, group=_SHARE),
    Column("illegible", "lower", 4, group=_SHARE),
    Column("weakened", "lower", 4, group=_SHARE),
    Column("words", "", 0, headline=True),
    Column("samples", "", 0, headline=True),
)


def heights_table(runs: Sequence[tuple[str, HeightSummary]], notes: Sequence[str] = ()) -> Table:
    """The share of words that each editor keeps, in a section for each band of type heights."""
    rows = [
        Row(editor, _values(band), band.title)
        for bands in zip(*(_bands(summary, runs) for _, summary in runs), strict=True)
        for (editor, _), band in zip(runs, bands, strict=True)
        if band is not None and any(other is not None and other.words for other in bands)
    ]
    pixels = runs[0][1].pixels if runs else "output"
    title = f"Words by type height, in pixels of the {pixels}"
    all_notes = [*safe_lines(runs), *gap_lines(runs), *notes]
    return Table(title, _COLUMNS, rows, "Editor", notes=all_notes)


def _bands(summary: HeightSummary, runs: Sequence[tuple[str, HeightSummary]]) -> Sequence[HeightBand | None]:
    """The bands of a run, as many as the other runs have."""
    return summary.bands or [None] * max(len(other.bands) for _, other in runs)


def _values(band: HeightBand) -> list[float | None]:
    low, high = band.interval or (None, None)
    shares = [band.share(count) for count in (band.changed, band.illegible, band.weakened)]
    return [band.safe, low, high, *shares, band.words, band.samples]


def safe_line(editor: str, summary: HeightSummary) -> str:
    """From which type height on an editor keeps the words, in one sentence; "" if nothing was counted.

    >>> bands = (HeightBand(0, 20, 400, 90, 0, 0, 4, (0.6, 0.9)), HeightBand(20, None, 500, 1, 0, 0, 4, (0.9, 1.0)))
    >>> safe_line("resize", HeightSummary("output", bands, 4, 0))
    'resize: type of 20 px or more survives (99.8 % of 500 words); below that, 77.5 % of 400 words do'
    """
    if not summary.bands:
        return ""
    if not summary.enough:
        return f"{editor}: too few words for a safe type height: fewer than {MIN_WORDS}"
    edge = summary.safe_from
    if edge is None:
        return f"{editor}: no type height is safe: {_survivors(summary.bands)} survive"
    safe = [band for band in summary.bands if band.low >= edge]
    below = [band for band in summary.bands if band.low < edge and band.words]
    if not below:
        return f"{editor}: type of every height on these pages survives ({_survivors(safe)})"
    count = sum(band.words for band in below)
    rest = f"{_survivors(below)} do" if count >= MIN_WORDS else f"there are only {count} words"
    return f"{editor}: type of {edge} px or more survives ({_survivors(safe)}); below that, {rest}"


def safe_lines(runs: Sequence[tuple[str, HeightSummary]]) -> Iterator[str]:
    """A sentence on every editor whose words were counted, and one on what is called safe."""
    lines = [line for editor, summary in runs if (line := safe_line(editor, summary))]
    yield from lines
    if lines:
        share = f"{100 * SAFE_SHARE:.0f} %"
        yield f"type survives where {share} of its words or more are as before, from there on in every band"


def gap_lines(runs: Sequence[tuple[str, HeightSummary]]) -> Iterator[str]:
    """Notes on runs and samples whose words were not counted."""
    for editor, summary in runs:
        if not summary.counted:
            yield f"{editor}: words by type height are not known: {_REASONS}; `vde score` again counts them"
        elif summary.not_counted:
            yield f"{editor}: {summary.not_counted} samples are in no share: {_REASONS}"


_REASONS = "no output, a reader without likelihoods, or rows of an earlier version"


def _survivors(bands: Sequence[HeightBand]) -> str:
    """The share of words that survive, and their number."""
    words = sum(band.words for band in bands)
    lost = sum(band.changed + band.illegible + band.weakened for band in bands)
    share = 100 * (words - lost) / words
    return f"{share:.0f} % of {words} words" if share == 100 else f"{min(share, 99.9):.1f} % of {words} words"


def heights_data(runs: Sequence[tuple[str, HeightSummary]], ceilings: Mapping[str, str]) -> dict[str, Any] | None:
    """Data of the report's table: the share of words that each editor loses; None without runs.

    `ceilings` are editors that come first, and what they do to the reference.
    """
    if not runs:
        return None
    shown = [
        at
        for at, bands in enumerate(zip(*(summary.bands for _, summary in runs if summary.bands), strict=True))
        if any(band.words for band in bands)
    ]
    titles = next((summary.bands for _, summary in runs if summary.bands), ())
    ordered = sorted(runs, key=lambda run: run[0] not in ceilings)
    limits = [(_named(editor, ceilings[editor]), summary) for editor, summary in ordered if editor in ceilings]
    return {
        "pixels": runs[0][1].pixels,
        "least": MIN_WORDS,
        "bands": [
            {"title": titles[at].title, "words": max(summary.bands[at].words for _, summary in runs if summary.bands)}
            for at in shown
        ],
        "rows": [
            {
                "editor": editor,
                "ceiling": ceilings.get(editor, ""),
                "cells": [_cell(summary.bands[at]) if summary.bands else None for at in shown],
            }
            for editor, summary in ordered
        ],
        "lines": list(safe_lines(limits or ordered)),
        "notes": list(gap_lines(ordered)),
    }


def _named(editor: str, loss: str) -> str:
    """The name of a ceiling with what it does, unless its name says it."""
    return editor if loss == editor else f"{editor} ({loss})"


def _cell(band: HeightBand) -> dict[str, Any] | None:
    """The share of words that are lost, its interval, and the counts behind it."""
    if band.safe is None or band.interval is None:
        return None
    low, high = band.interval
    counts = {name: getattr(band, name) for name in ("words", "changed", "illegible", "weakened")}
    return {"value": 1 - band.safe, "low": 1 - high, "high": 1 - low, **counts, "few": band.words < MIN_WORDS}
