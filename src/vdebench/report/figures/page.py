"""Statistics of a suite as a self-contained HTML page and as Markdown for a data set card."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from html import escape
from importlib.resources import files
from typing import Any

from vdebench._version import __version__
from vdebench.report.figures.suite import Figure, suite_figures
from vdebench.report.figures.tables import statistics_tables
from vdebench.report.html_table import html_table
from vdebench.report.rendering import render


def statistics_page(statistics: Mapping[str, Any], *, back: str = "") -> str:
    """The HTML page; `back` is the page that links to it."""
    parts = [f'<p><a href="{escape(back)}">← back to the report</a></p>'] if back else []
    parts += [f"<p>{escape(_about(statistics))}</p>"]
    parts += [line for figure in suite_figures(statistics) for line in _figure(figure)]
    parts += [line for table in statistics_tables(statistics) for line in html_table(table)]
    return page(f"Statistics of {statistics['suite']}", parts)


def _about(statistics: Mapping[str, Any]) -> str:
    counts = {"languages": "language", "sources": "source"}
    parts = [_count(statistics["samples"], "sample"), _count(statistics["pages"], "page")]
    parts += [_count(len(statistics[key]), name) for key, name in counts.items() if statistics[key]]
    return ", ".join(parts) + "."


def _count(count: int, name: str) -> str:
    return f"{count:,} {name}{'' if count == 1 else 's'}"


def page(title: str, parts: Sequence[str], style_file: str = "figures/assets/figures.css") -> str:
    """An HTML page with a title and a style sheet around its parts."""
    style = files("vdebench.report").joinpath(style_file).read_text(encoding="utf-8")
    lines = [
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
        "img-src data:; base-uri 'none'; form-action 'none'\">",
        f'<title>{escape(title)}</title>\n<link rel="icon" href="data:,">',
        f"<style>{style}</style>\n</head>\n<body>\n<main>\n<h1>{escape(title)}</h1>",
        *parts,
        f"<footer>Made by vdebench {__version__}.</footer>\n</main>\n</body>\n</html>\n",
    ]
    return "\n".join(lines)


def _figure(figure: Figure) -> Iterator[str]:
    name = escape(figure.name)
    yield f'<figure><div class="scroll" tabindex="0" role="region" aria-label="{name}">{figure.svg}</div>'
    yield f"<figcaption>{escape(figure.caption)}</figcaption></figure>"


def card_lines(statistics: Mapping[str, Any], folder: str = "") -> list[str]:
    """Markdown lines for a data set card: every figure as PNG, in a folder next to the card, and the tables."""
    prefix = f"{folder.rstrip('/')}/" if folder else ""
    lines = ["## Statistics", "", _about(statistics), ""]
    for figure in suite_figures(statistics):
        lines += [f"![{figure.caption}]({prefix}{figure.name}.png)", "", f"*{figure.caption}*", ""]
    for table in statistics_tables(statistics):
        lines += [*render(table, "markdown").rstrip("\n").split("\n"), ""]
    return lines[:-1]
