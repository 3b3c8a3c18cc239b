"""A table as HTML."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from vdebench.report.table import Table, run_lengths


def html_table(table: Table) -> Iterator[str]:
    """Yield the HTML of a table and its notes."""
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
        cells = "".join(f"<td>{escape(table.cell(row, at))}</td>" for at in range(len(table.columns)))
        yield f'<tr><th scope="row">{escape(row.label)}</th>{cells}</tr>'
    yield "</tbody>\n</table></div>"
    yield from (f'<p class="note">{escape(note)}</p>' for note in table.notes)
