"""`vde edit`: edit one page."""

from __future__ import annotations

from pathlib import Path

import typer

from vdebench.cli.read import reader_options
from vdebench.cli.run import EDITOR_HELP, OPTION_HELP
from vdebench.errors import VdeError


def edit_command(
    image: Path = typer.Argument(..., metavar="IMAGE", help="Image of the page."),
    instruction: str = typer.Argument(..., metavar="INSTRUCTION", help="The edit, in words."),
    out: Path = typer.Option(..., "--out", "-o", help="Output file, a PNG."),
    editor: str = typer.Option("overlay", "--editor", "-e", help=EDITOR_HELP),
    option: list[str] = typer.Option([], "--editor-option", metavar="NAME=VALUE", help=OPTION_HELP),
    seed: int = typer.Option(0, "--seed", help="Random seed for editors that sample."),
) -> None:
    """Edit one page. Exit code 2 with the reason if the editor refuses.

    Example: `vde edit page.png "Replace '2023' with '2024'" -o edited.png`
    """
    from vdebench.core.png import encode_png
    from vdebench.editors.factory import get_editor
    from vdebench.io.files import write_bytes
    from vdebench.io.images import open_image

    edit = get_editor(editor, **reader_options(option)).edit(open_image(image), instruction, seed=seed)
    if edit.image is None:
        raise VdeError(f"{editor} refused: {edit.reason}")
    write_bytes(out, encode_png(edit.image))
    typer.echo(f"{out}: edited by {editor}")
