"""Output of commands: tables, JSON, wrapped lines and warnings.

On a terminal, or if COLUMNS is set, lines are limited to its width; table columns that do not fit are left out and
listed below the table. In a pipe or a file nothing is left out: tables wider than 100 characters are split.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import textwrap
from typing import TYPE_CHECKING, Any

import typer
from rich.console import Console

if TYPE_CHECKING:
    from vdebench.report.rendering import Format
    from vdebench.report.table import Table

NARROWEST = 40


def screen_width() -> int | None:
    """Return the width of the terminal in characters; None in pipes and files, unless COLUMNS is set."""
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
    """Render a table; `more` names the option that shows all columns, `width` applies to pipes and files."""
    from vdebench.report.rendering import render  # so that `vde --help` need not load all metrics

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
    """Print a line; on a terminal, wrap it with an indent."""
    screen = screen_width()
    if screen is not None and len(text) > screen:
        leading = text[: len(text) - len(text.lstrip())]
        lines = textwrap.wrap(text.strip(), screen, initial_indent=leading, subsequent_indent=leading + indent)
        text = "\n".join(lines)
    typer.echo(text)


def echo_json(value: Any) -> None:
    """Print a value as indented JSON."""
    typer.echo(json.dumps(value, ensure_ascii=False, indent=2, allow_nan=False))


def warn(message: str) -> None:
    """Print a message on standard error, after `vde: `."""
    Console(stderr=True, highlight=False, soft_wrap=True).print(f"vde: {message}", markup=False)


def split_names(text: str) -> list[str]:
    """Split a comma-separated option.

    >>> split_names("cdm, iou,")
    ['cdm', 'iou']
    """
    return [name.strip() for name in text.split(",") if name.strip()]
