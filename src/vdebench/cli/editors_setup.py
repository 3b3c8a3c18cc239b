"""`vde editors setup`: the environment of an editor with conflicting dependencies."""

from __future__ import annotations

from pathlib import Path

import typer


def setup_command(
    name: str = typer.Argument(..., metavar="NAME", help="step1x-edit, omnigen2, bagel or emu3.5."),
    folder: Path | None = typer.Option(None, "--folder", help="Folder of the environment; by default in the cache."),
    python: str = typer.Option("python3", "--python", help="Python interpreter for the environment."),
    run: bool = typer.Option(False, "--run", help="Run the installation (without the weights) instead of printing it."),
) -> None:
    """Print a shell script that installs the environment of an editor; with --run, install it.

    Example: `vde editors setup omnigen2 > setup.sh`
    """
    from vdebench.editors.external.recipes import get_recipe, script_of
    from vdebench.editors.external.setup import set_up

    recipe = get_recipe(name)
    target = folder.absolute() if folder else recipe.folder()
    if run:
        set_up(recipe, target, python, typer.echo)
    typer.echo(script_of(recipe, target, python, done=run), nl=False)
