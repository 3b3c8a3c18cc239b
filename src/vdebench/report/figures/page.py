"""A suite's statistics to look at: a page with all figures and tables that loads nothing, and lines for a card."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import Any

from vdebench.report.figures.suite import suite_figures
from vdebench.report.figures.tables import statistics_tables
from vdebench.report.rendering import render
from vdebench.report.web.document import document, html_figure, html_table


def statistics_page(found: Mapping[str, Any], *, back: str = "") -> str:
    """The page; `back` is the page from which it is opened."""
    parts = [f'<p><a href="{escape(back)}">← back to the report</a></p>'] if back else []
    parts += [f"<p>{escape(_about(found))}</p>"]
    parts += [html_figure(figure.name, figure.svg, figure.caption) for figure in suite_figures(found)]
    parts += [line for table in statistics_tables(found) for line in html_table(table)]
    return document(f"Statistics of {found['suite']}", parts)


def _about(found: Mapping[str, Any]) -> str:
    counts = {"languages": "language", "sources": "source"}
    told = [_many(found["samples"], "sample"), _many(found["pages"], "page")]
    told += [_many(len(found[key]), name) for key, name in counts.items() if found[key]]
    return ", ".join(told) + "."


def _many(count: int, name: str) -> str:
    return f"{count:,} {name}{'' if count == 1 else 's'}"


def card_lines(found: Mapping[str, Any], folder: str = "") -> list[str]:
    """Lines of Markdown for a data set's card: every figure as PNG, from a folder beside the card, and the tables."""
    place = f"{folder.rstrip('/')}/" if folder else ""
    lines = ["## Statistics", "", _about(found), ""]
    for figure in suite_figures(found):
        lines += [f"![{figure.caption}]({place}{figure.name}.png)", "", f"*{figure.caption}*", ""]
    for table in statistics_tables(found):
        lines += [*render(table, "markdown").rstrip("\n").split("\n"), ""]
    return lines[:-1]
