"""`vde doctor`: what is ready, and how to get the rest."""

from __future__ import annotations

import json
import platform
import sys

import typer
from rich.console import Console

from vdebench._version import __version__
from vdebench.cli.printing import echo_line
from vdebench.io.locations import cache_folder
from vdebench.parallel.local import usable_processors


def doctor_command(as_json: bool = typer.Option(False, "--json", help="For programs.")) -> None:
    """Say for every editor, reader and image metric: ready, or what is missing and how to get it.

    Example: `vde doctor`
    """
    from vdebench.report.doctor import examine

    found = list(examine())
    if as_json:
        typer.echo(json.dumps([one._asdict() for one in found], indent=2))
        return
    console = Console(highlight=False, soft_wrap=True)
    python = f"Python {platform.python_version()} on {sys.platform}"
    echo_line(f"vdebench {__version__}, {python}, {usable_processors()} processors, cache {cache_folder()}")
    for kind, title in (("editor", "Editors"), ("reader", "Readers"), ("metric", "Image metrics")):
        console.print(f"\n{title}", style="bold")
        for one in found:
            if one.kind == kind:
                state = "[green]ready[/]" if not one.missing else "[yellow]missing[/]"
                console.print(f"  {one.name:<20} {state}{' (the default)' if one.default else ''}")
                for line in filter(None, one.missing.splitlines()):
                    echo_line(f"      {line.strip()}")
