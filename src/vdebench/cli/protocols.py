"""`vde protocols`: which there are, and what each does."""

from __future__ import annotations

import textwrap

import typer

from vdebench.cli.printing import echo_line, screen_width
from vdebench.protocols import PROTOCOLS, Protocol, get_protocol
from vdebench.protocols.masks.protocol import PIXEL_PROTOCOLS, PixelProtocol, get_pixel_protocol

app = typer.Typer(help="The ways of scoring. `vde protocols` lists them.", invoke_without_command=True)


@app.callback()
def list_protocols(context: typer.Context) -> None:
    """List the protocols, a line each."""
    if context.invoked_subcommand is None:
        for name in PROTOCOLS:
            echo_line(f"{name:<17} {get_protocol(name).says}", " " * 18)
        for name in PIXEL_PROTOCOLS:
            if name not in PROTOCOLS:
                echo_line(f"{name:<17} {get_pixel_protocol(name).says}", " " * 18)


@app.command()
def explain(name: str) -> None:
    """Say every rule of a protocol in words.

    Example: `vde protocols explain vde-release`
    """
    found: list[tuple[str, Protocol | PixelProtocol]] = []
    if name in PROTOCOLS or name not in PIXEL_PROTOCOLS:
        found.append(("", get_protocol(name)))
    if name in PIXEL_PROTOCOLS:
        found.append((" (images with masks)", get_pixel_protocol(name)))
    for at, (where, protocol) in enumerate(found):
        typer.echo("\n" if at else "", nl=False)
        echo_line(f"{protocol.name}{where}: {protocol.says}")
        typer.echo()
        for rule in protocol.rules:
            typer.echo(textwrap.fill(rule, min(96, screen_width() or 96), initial_indent="- ", subsequent_indent="  "))
