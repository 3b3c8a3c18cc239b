"""A suite's statistics to look at: a page with all figures and tables that loads nothing, and lines for a card."""

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


def statistics_page(found: Mapping[str, Any], *, back: str = "") -> str:
    """The page; `back` is the page from which it is opened."""
    parts = [f'<p><a href="{escape(back)}">← back to the report</a></p>'] if back else []
    parts += [f"<p>{escape(_about(found))}</p>"]
    parts += [line for figure in suite_figures(found) for line in _figure(figure)]
    parts += [line for table in statistics_tables(found) for line in html_table(table)]
    return page(f"Statistics of {found['suite']}", parts)


def _about(found: Mapping[str, Any]) -> str:
    counts = {"languages": "language", "sources": "source"}
    told = [_many(found["samples"], "sample"), _many(found["pages"], "page")]
    told += [_many(len(found[key]), name) for key, name in counts.items() if found[key]]
    return ", ".join(told) + "."


def _many(count: int, name: str) -> str:
    return f"{count:,} {name}{'' if count == 1 else 's'}"


def page(title: str, parts: Sequence[str]) -> str:
    """A page of our style around its parts."""
    style = files("vdebench.report.figures").joinpath("assets/figures.css").read_text(encoding="utf-8")
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


def card_lines(found: Mapping[str, Any], folder: str = "") -> list[str]:
    """Lines of Markdown for a data set's card: every figure as PNG, from a folder beside the card, and the tables."""
    place = f"{folder.rstrip('/')}/" if folder else ""
    lines = ["## Statistics", "", _about(found), ""]
    for figure in suite_figures(found):
        lines += [f"![{figure.caption}]({place}{figure.name}.png)", "", f"*{figure.caption}*", ""]
    for table in statistics_tables(found):
        lines += [*render(table, "markdown").rstrip("\n").split("\n"), ""]
    return lines[:-1]
