"""`vde editors`: the list of editors."""

from __future__ import annotations

import typer
from rich.console import Console

from vdebench.cli.editors_setup import setup_command
from vdebench.cli.printing import echo_json, screen_width

app = typer.Typer(invoke_without_command=True)
app.command("setup")(setup_command)
WIDE = 150
"""Width of the table in pipes and files."""


@app.callback()
def list_editors(
    context: typer.Context,
    papers: bool = typer.Option(False, "--papers", help="List the rows of the papers' tables with the editor of each."),
    as_json: bool = typer.Option(False, "--json", help="Print as JSON."),
) -> None:
    """List the editors: requirements, model, licence, output size, and whether each is ready on this machine.

    Examples: `vde editors`, `vde editors --papers`
    """
    from vdebench.editors.listing import editors_view, list_editors, papers_view
    from vdebench.editors.papers import PAPER_EDITORS

    if context.invoked_subcommand is not None:
        return
    editors = list(list_editors())
    if as_json:
        echo_json([row._asdict() for row in PAPER_EDITORS] if papers else [editor.as_json() for editor in editors])
        return
    console = Console(highlight=False, markup=False, width=screen_width() or WIDE)
    console.print(papers_view(editors, console.width) if papers else editors_view(editors, console.width))
    console.print("\nHow to get the rest: vde doctor. Options: --editor-option EDITOR.NAME=VALUE; docs/editors.md.")
