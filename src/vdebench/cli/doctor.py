"""`vde doctor`: check which components are ready."""

from __future__ import annotations

import platform
import sys

import typer
from rich.console import Console

from vdebench._version import __version__
from vdebench.cli.printing import echo_json, echo_line
from vdebench.io.locations import cache_folder
from vdebench.parallel.local import usable_processors


def doctor_command(as_json: bool = typer.Option(False, "--json", help="Print as JSON.")) -> None:
    """Check every editor, reader and image metric: ready, or what is missing and how to install it.

    Example: `vde doctor`
    """
    from vdebench.report.doctor import examine

    components = list(examine())
    if as_json:
        echo_json([component._asdict() for component in components])
        return
    console = Console(highlight=False, soft_wrap=True)
    python = f"Python {platform.python_version()} on {sys.platform}"
    echo_line(f"vdebench {__version__}, {python}, {usable_processors()} processors, cache {cache_folder()}")
    for kind, title in (("editor", "Editors"), ("reader", "Readers"), ("metric", "Image metrics")):
        console.print(f"\n{title}", style="bold")
        for component in components:
            if component.kind == kind:
                state = "[green]ready[/]" if not component.missing else "[yellow]missing[/]"
                console.print(f"  {component.name:<20} {state}{' (the default)' if component.default else ''}")
                for line in filter(None, component.missing.splitlines()):
                    echo_line(f"      {line.strip()}")
