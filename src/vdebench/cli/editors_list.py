"""`vde editors`: who can edit, and what each needs."""

from __future__ import annotations

import json

import typer
from rich.console import Console
from rich.table import Table

app = typer.Typer(invoke_without_command=True)
WIDE = 150
"""Columns of the table where nobody's window is to be filled."""


@app.callback()
def list_editors(context: typer.Context, as_json: bool = typer.Option(False, "--json", help="For programs.")) -> None:
    """List the editors: what each needs, its model and licence, the size of what it gives, whether it is ready here.

    Example: `vde editors`
    """
    from vdebench.editors.listing import listed

    if context.invoked_subcommand is not None:
        return
    found = list(listed())
    if as_json:
        told = [{"name": one.name, **one.about._asdict(), "missing": one.missing} for one in found]
        typer.echo(json.dumps(told, ensure_ascii=False, indent=2))
        return
    table = Table("editor", "model", "needs", "licence", "size of the output", "here", box=None, pad_edge=False)
    table.columns[0].no_wrap = True
    for one in found:
        about = (one.about.model, one.about.needs, one.about.licence, one.about.size)
        table.add_row(one.name, *(told or "–" for told in about), one.state, style="" if one.missing else "green")
    console = Console(highlight=False, markup=False)
    console = console if console.is_terminal else Console(highlight=False, markup=False, width=WIDE)
    console.print(table)
    console.print("\nHow to get the rest: vde doctor. Options: --editor-option EDITOR.NAME=VALUE; docs/editors.md.")
