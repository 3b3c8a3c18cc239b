"""`vde protocols`: which there are, and what each does."""

from __future__ import annotations

import textwrap

import typer

from vdebench.protocols import PROTOCOLS, get_protocol

app = typer.Typer(help="The ways of scoring. `vde protocols` lists them.", invoke_without_command=True)


@app.callback()
def list_protocols(context: typer.Context) -> None:
    """List the protocols, a line each."""
    if context.invoked_subcommand is None:
        for name in PROTOCOLS:
            typer.echo(f"{name:<12} {get_protocol(name).says}")


@app.command()
def explain(name: str) -> None:
    """Say every rule of a protocol in words.

    Example: `vde protocols explain vde-release`
    """
    protocol = get_protocol(name)
    typer.echo(f"{protocol.name}: {protocol.says}\n")
    for rule in protocol.rules:
        typer.echo(textwrap.fill(rule, 96, initial_indent="- ", subsequent_indent="  "))
