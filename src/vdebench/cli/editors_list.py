"""`vde editors`: who can edit, and what each needs."""

from __future__ import annotations

import json

import typer
from rich.console import Console

from vdebench.cli.printing import screen_width

app = typer.Typer(invoke_without_command=True)
WIDE = 150
"""Columns of the table where nobody's window is to be filled."""


@app.callback()
def list_editors(
    context: typer.Context,
    papers: bool = typer.Option(False, "--papers", help="The papers' rows, and which editor each is."),
    as_json: bool = typer.Option(False, "--json", help="For programs."),
) -> None:
    """List the editors: what each needs, its model and licence, the size of what it gives, whether it is ready here.

    Examples: `vde editors`, `vde editors --papers`
    """
    from vdebench.editors.listing import editors_view, list_editors, papers_view
    from vdebench.editors.papers import PAPER_EDITORS

    if context.invoked_subcommand is not None:
        return
    found = list(list_editors())
    if as_json:
        told = [row._asdict() for row in PAPER_EDITORS] if papers else [one.as_json() for one in found]
        typer.echo(json.dumps(told, ensure_ascii=False, indent=2))
        return
    console = Console(highlight=False, markup=False, width=screen_width() or WIDE)
    console.print(papers_view(found, console.width) if papers else editors_view(found, console.width))
    console.print("\nHow to get the rest: vde doctor. Options: --editor-option EDITOR.NAME=VALUE; docs/editors.md.")
