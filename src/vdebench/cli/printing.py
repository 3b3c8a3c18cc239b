"""What commands print, as wide as the terminal is.

On a terminal, or where COLUMNS is set, no line is longer than that; columns of a table that do not fit are left out,
and a line below the table says which. Otherwise (a pipe, a file) nothing is left out: columns that do not fit into 100
characters stand below each other.
"""

from __future__ import annotations

import os
import shutil
import sys
import textwrap

import typer

from vdebench.report.rendering import Format, render
from vdebench.report.table import Table

NARROWEST = 40


def screen_width() -> int | None:
    """Characters in a line, None where nobody's screen is to be filled: in pipes and files, unless COLUMNS is set."""
    if not sys.stdout.isatty() and not os.environ.get("COLUMNS", "").isdecimal():
        return None
    return max(NARROWEST, shutil.get_terminal_size().columns)


def table_text(
    table: Table,
    form: Format = "terminal",
    *,
    intervals: bool = False,
    full_signature: bool = False,
    more: str = "--format csv",
    width: int = 100,
) -> str:
    """A table as a command prints it; `more` names the option that shows all columns, `width` is that of pipes."""
    screen = screen_width()
    return render(
        table,
        form,
        width=screen or width,
        bold=sys.stdout.isatty(),
        intervals=intervals,
        full_signature=full_signature,
        all_columns_by=f"a wider terminal or {more}" if screen else "",
    )


def echo_table(
    table: Table,
    form: Format = "terminal",
    *,
    intervals: bool = False,
    full_signature: bool = False,
    more: str = "--format csv",
) -> None:
    """Print a table."""
    typer.echo(table_text(table, form, intervals=intervals, full_signature=full_signature, more=more), nl=False)


def echo_line(text: str, indent: str = "  ") -> None:
    """Print a line; on a screen one that is too long goes on below, indented."""
    typer.echo(folded(text, indent))


def folded(text: str, indent: str = "  ") -> str:
    """A line as `echo_line` prints it."""
    screen = screen_width()
    if screen is None or len(text) <= screen:
        return text
    leading = text[: len(text) - len(text.lstrip())]
    return "\n".join(textwrap.wrap(text.strip(), screen, initial_indent=leading, subsequent_indent=leading + indent))
