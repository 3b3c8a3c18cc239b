"""Statistics of a suite as a self-contained HTML page and as Markdown for a data set card."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import Any

from vdebench.report.figures.suite import suite_figures
from vdebench.report.figures.tables import statistics_tables
from vdebench.report.rendering import render
from vdebench.report.web.document import document, html_figure, html_table


def statistics_page(statistics: Mapping[str, Any], *, back: str = "") -> str:
    """The HTML page; `back` is the page that links to it."""
    parts = [f'<p><a href="{escape(back)}">← back to the report</a></p>'] if back else []
    parts += [f"<p>{escape(_about(statistics))}</p>"]
    parts += [html_figure(figure.name, figure.svg, figure.caption) for figure in suite_figures(statistics)]
    parts += [line for table in statistics_tables(statistics) for line in html_table(table)]
    return document(f"Statistics of {statistics['suite']}", parts)


def _about(statistics: Mapping[str, Any]) -> str:
    counts = {"languages": "language", "sources": "source"}
    parts = [_count(statistics["samples"], "sample"), _count(statistics["pages"], "page")]
    parts += [_count(len(statistics[key]), name) for key, name in counts.items() if statistics[key]]
    return ", ".join(parts) + "."


def _count(count: int, name: str) -> str:
    return f"{count:,} {name}{'' if count == 1 else 's'}"


def card_lines(statistics: Mapping[str, Any], folder: str = "") -> list[str]:
    """Lines of Markdown for a data set's card: every figure as PNG, from a folder beside the card, and the tables."""
    place = f"{folder.rstrip('/')}/" if folder else ""
    lines = ["## Statistics", "", _about(statistics), ""]
    for figure in suite_figures(statistics):
        lines += [f"![{figure.caption}]({place}{figure.name}.png)", "", f"*{figure.caption}*", ""]
    for table in statistics_tables(statistics):
        lines += [*render(table, "markdown").rstrip("\n").split("\n"), ""]
    return lines[:-1]
