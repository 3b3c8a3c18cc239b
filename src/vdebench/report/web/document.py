"""A page without scripts: a title, figures and tables, in the shared style."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from html import escape

from vdebench._version import __version__
from vdebench.report.table import Table, run_lengths
from vdebench.report.web.assets import shared_text

_POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src 'self' file: data:; base-uri 'none'; form-action 'none'"
)


def document(title: str, parts: Iterable[str]) -> str:
    """The page; it loads at most the images of its parts."""
    lines = [
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">',
        f'<title>{escape(title)}</title>\n<link rel="icon" href="data:,">',
        f"<style>{shared_text('style.css')}{shared_text('document.css')}</style>",
        f"</head>\n<body>\n<main>\n<h1>{escape(title)}</h1>",
        *parts,
        f"<footer>Written by vdebench {__version__}.</footer>\n</main>\n</body>\n</html>\n",
    ]
    return "\n".join(lines)


def html_figure(name: str, svg: str, caption: str = "") -> str:
    """A figure with its caption."""
    region = f'<div class="scroll" tabindex="0" role="region" aria-label="{escape(name)}">{svg}</div>'
    return f"<figure>{region}{f'<figcaption>{escape(caption)}</figcaption>' if caption else ''}</figure>"


def html_table(table: Table, kind: Callable[[str], str] = lambda cell: "") -> Iterator[str]:
    """A table with its notes; `kind` gives the class of a cell by its text."""
    name = escape(table.title)
    yield f'<h2>{name}</h2>\n<div class="scroll" tabindex="0" role="region" aria-label="{name}"><table>\n<thead>'
    if any(column.group for column in table.columns):
        groups = run_lengths([column.group for column in table.columns])
        yield "<tr><td></td>" + "".join(f'<th colspan="{n}">{escape(head)}</th>' for head, n in groups) + "</tr>"
    heads = "".join(f'<th scope="col">{escape(column.name)}</th>' for column in table.columns)
    yield f'<tr><th scope="col">{escape(table.head)}</th>{heads}</tr>\n</thead>\n<tbody>'
    section = ""
    for row in table.rows:
        if row.section != section:
            section = row.section
            yield f'<tr class="section"><th colspan="{len(table.columns) + 1}">{escape(section)}</th></tr>'
        shown = [table.cell(row, at) for at in range(len(table.columns))]
        cells = "".join(f'<td class="{kind(cell)}">{escape(cell)}</td>' for cell in shown).replace(' class=""', "")
        yield f'<tr><th scope="row">{escape(row.label)}</th>{cells}</tr>'
    yield "</tbody>\n</table></div>"
    yield from (f'<p class="note">{escape(note)}</p>' for note in table.notes)
