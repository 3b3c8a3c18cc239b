"""`vde protocols`: list and explain the protocols."""

from __future__ import annotations

import textwrap

import typer

from vdebench.cli.printing import echo_line, screen_width
from vdebench.protocols import MASK_PROTOCOLS, PROTOCOLS, Protocol, protocol_for
from vdebench.registry import added

app = typer.Typer(help="List and explain scoring protocols.", invoke_without_command=True)


@app.callback()
def list_protocols(context: typer.Context) -> None:
    """List the protocols, one per line."""
    if context.invoked_subcommand is None:
        for name in {**PROTOCOLS, **MASK_PROTOCOLS, **added("protocols")}:
            echo_line(f"{name:<17} {protocol_for('pages', name).says}", " " * 18)


@app.command()
def explain(name: str) -> None:
    """Explain every rule of a protocol.

    Example: `vde protocols explain vde-release`
    """
    protocols: dict[str, Protocol] = {"": protocol_for("pages", name)}
    if name in PROTOCOLS and name in MASK_PROTOCOLS:
        protocols |= {" (images with masks)": protocol_for("pixels", name)}
    for number, (suffix, protocol) in enumerate(protocols.items()):
        typer.echo("\n" if number else "", nl=False)
        echo_line(f"{protocol.name}{suffix}: {protocol.says}")
        typer.echo()
        for rule in protocol.rules:
            typer.echo(textwrap.fill(rule, min(96, screen_width() or 96), initial_indent="- ", subsequent_indent="  "))
