"""Figures of a suite's statistics: sources, instructions, languages, operations, layout."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from vdebench.report.figures.bars import bar_chart, histogram
from vdebench.report.figures.heatmap import heat_map
from vdebench.report.figures.sunburst import sunburst
from vdebench.studies.layout.statistics import normalised

METRICS = {
    "density": ("Density", 2),
    "complexity": ("Complexity", 1),
    "richness": ("Richness", 1),
    "entropy": ("Entropy", 2),
    "text_ratio": ("Text ratio", 2),
    "visual_ratio": ("Visual ratio", 2),
}
"""Titles and digits of the six layout metrics."""


class Figure(NamedTuple):
    """A figure: file name, caption and SVG."""

    name: str
    caption: str
    svg: str


def suite_figures(statistics: Mapping[str, Any]) -> list[Figure]:
    """All figures that the statistics have numbers for."""
    return [*_counts(statistics), *_layout(statistics["layout"])]


def _counts(statistics: Mapping[str, Any]) -> Iterator[Figure]:
    groups = list(statistics["groups"])
    sources = statistics["sources"]
    if sources:
        yield Figure(
            "sources",
            "Samples by source, in every group of the suite.",
            _bars("Samples by source", sources, groups, statistics["samples"]),
        )
    if statistics["instructions"]["samples"]:
        bins, spread = statistics["instructions"]["histogram"], statistics["instructions"]["by_language"]["all"]
        characters, tokens = spread["characters"]["median"], spread["tokens"]["median"]
        says = f"{spread['samples']:,} instructions; half have at most {characters:g} characters, {tokens:g} tokens"
        svg = histogram(
            "Length of instructions",
            bins["width"],
            bins["counts"],
            says=says,
            axis="characters",
            is_open=bins["open"],
        )
        yield Figure("instructions", "Instructions by length in characters and by language.", svg)
    if statistics["languages"]:
        svg = _bars("Languages", statistics["languages"], groups, statistics["samples"])
        yield Figure("languages", "Samples by language, in every group of the suite.", svg)
    if statistics["places"]:
        says = "inner ring: text or table; outer ring: operation"
        svg = sunburst("Operations", statistics["places"], says=says)
        yield Figure("operations", "Operations: of all samples, in running text, and in tables.", svg)


def _bars(title: str, counts: Mapping[str, Mapping[str, int]], groups: Sequence[str], samples: int) -> str:
    """Bars in groups, the longest first."""
    names = sorted(counts, key=lambda name: (-sum(counts[name].values()), name))
    parts = {group: [counts[name].get(group, 0) for name in names] for group in groups}
    return bar_chart(title, names, parts, says=f"{samples:,} samples")


def _layout(layout: Mapping[str, Any]) -> Iterator[Figure]:
    if not layout["pages"] or not layout["types"]:
        return
    sources, types = list(layout["sources"]), list(layout["types"])
    count = f"{layout['pages']:,} pages"
    if len(sources) > 1:
        yield Figure(
            "layout-z",
            "Share of the page that a type covers, by source, as z-score over the sources (equation 7).",
            heat_map(
                "Layout density by source",
                sources,
                types,
                [[layout["z"][source][kind] for kind in types] for source in sources],
                ramp="diverging",
                digits=1,
                says=f"{count}; z-score of the covered share of the page over sources, column by column",
            ),
        )
    shares = [[100 * layout["composition"][source][kind] for kind in types] for source in sources]
    yield Figure(
        "layout-composition",
        "Types of a source's elements, in percent of their number; every row adds up to 100.",
        heat_map(
            "Layout composition by source",
            sources,
            types,
            shares,
            digits=1,
            says=f"{count}; percent of a source's elements, row by row",
        ),
    )
    columns = {key: [layout["metrics"][source][key] for source in sources] for key in METRICS}
    yield Figure(
        "layout-metrics",
        "Six layout metrics by source (equations 8 to 12); colours from the smallest to the largest of a column.",
        heat_map(
            "Layout metrics by source",
            sources,
            [title for title, _ in METRICS.values()],
            _transpose(list(columns.values())),
            shades=_transpose([normalised(column) for column in columns.values()]),
            digits=[digits for _, digits in METRICS.values()],
            says=f"{count}; coloured column by column",
            key=("smallest", "", "largest"),
        ),
    )


def _transpose(columns: Sequence[Sequence[float | None]]) -> list[list[float | None]]:
    return [list(row) for row in zip(*columns, strict=True)]
