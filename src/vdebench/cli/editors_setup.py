"""`vde editors setup`: the environment of an editor that needs one of its own."""

from __future__ import annotations

from pathlib import Path

import typer


def setup_command(
    name: str = typer.Argument(..., metavar="NAME", help="step1x-edit, omnigen2, bagel or emu3.5."),
    folder: Path | None = typer.Option(None, "--folder", help="Where to; a folder in the cache by default."),
    python: str = typer.Option("python3", "--python", help="The interpreter that the environment is made of."),
    run: bool = typer.Option(False, "--run", help="Do it: install, without the weights. Else it is only printed."),
) -> None:
    """Print how to make the environment of an editor, as a shell script; with --run, make it.

    Example: `vde editors setup omnigen2 > setup.sh`
    """
    from vdebench.editors.external.recipes import get_recipe, script_of
    from vdebench.editors.external.setup import set_up

    made = get_recipe(name)
    place = folder.absolute() if folder else made.folder()
    if run:
        set_up(made, place, python, typer.echo)
    typer.echo(script_of(made, place, python, done=run), nl=False)
