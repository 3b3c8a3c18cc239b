"""`vde diff`: every change between two images of a page."""

from __future__ import annotations

import sys
from pathlib import Path

import typer

from vdebench.changes.verdict import GeometryLimits
from vdebench.cli.judge import BaseUrl, KeyVariable, Temperature, Timeout
from vdebench.cli.printing import echo_json, screen_width
from vdebench.cli.read import READER_HELP
from vdebench.errors import VdeError

_PIPE_WIDTH = 100


def diff_command(
    before: Path = typer.Argument(..., metavar="BEFORE", help="Image of the page before the edit."),
    after: Path = typer.Argument(..., metavar="AFTER", help="The editor's output."),
    instruction: str = typer.Option(
        "", "--instruction", "-i", metavar="TEXT", help="The edit, in words: tells which changes were asked for."
    ),
    reference: Path | None = typer.Option(
        None, "--reference", metavar="IMAGE", help="The right result: changes that it has too were asked for."
    ),
    judge_model: str = typer.Option(
        "",
        "--judge",
        "-j",
        metavar="MODEL",
        help="Judge model that is asked what an instruction means that the rules do "
        "not understand: gpt-4o, any model behind --base-url, gemini:MODEL or anthropic:MODEL.",
    ),
    base_url: BaseUrl = "",
    key_variable: KeyVariable = "",
    temperature: Temperature = "0",
    timeout: Timeout = 300,
    reader: str = typer.Option("rapidocr", "--reader", help=READER_HELP),
    max_zoom: float = typer.Option(
        GeometryLimits().max_zoom,
        "--max-zoom",
        min=0,
        help="Enlargement or reduction of the page in its frame that a usable edit may have.",
    ),
    allow_crop: bool = typer.Option(False, "--allow-crop", help="A usable edit may cut off text at the edges."),
    html: Path | None = typer.Option(
        None, "--html", metavar="PAGE", help="Write a page with both images and their changes, one .html file."
    ),
    as_json: bool = typer.Option(False, "--json", help="Print everything as JSON."),
) -> None:
    """List every change between two images of a page: text, facts, ink and geometry.

    With an instruction or a reference, also tell which changes were asked for, whether the edit was made, and whether
    the result is usable. Exit code 0 if the images could be compared, whatever the verdict.

    Examples:

    `vde diff page.png edited.png`

    `vde diff page.png edited.png --instruction "Replace '2023' with '2024'" --html changes.html`

    `vde diff page.png edited.png --instruction "Say that it opens an hour later: 9:30" --judge gpt-4o`

    `vde diff page.png edited.png --reference right.png --max-zoom 0.05 --allow-crop --json`
    """
    from vdebench.io.images import image_size
    from vdebench.judges.judge import get_judge
    from vdebench.pipeline.edit_check import check_edit
    from vdebench.report.edit_check import check_text
    from vdebench.report.edit_page import check_page_name, write_edit_page

    for file in (before, after, reference):
        if file is not None:
            image_size(file)  # raises an error before models are loaded
    if html is not None:
        check_page_name(html)
    if judge_model and (not instruction or reference is not None):
        raise VdeError("--judge: the judge reads the --instruction, and is not asked if there is a --reference")
    judge = (
        get_judge(judge_model, base_url=base_url, key_variable=key_variable, temperature=temperature, timeout=timeout)
        if judge_model
        else None
    )
    limits = GeometryLimits(max_zoom=max_zoom, allow_crop=allow_crop)
    check = check_edit(
        before, after, instruction=instruction, reference=reference, reader=reader, limits=limits, judge=judge
    )
    if as_json:
        echo_json(check.to_json())
    else:
        typer.echo(check_text(check, screen_width() or _PIPE_WIDTH, colour=sys.stdout.isatty()), nl=False)
    if html is not None:
        write_edit_page(check, before, after, html, instruction=instruction)
        typer.echo(f"{html}: open it in a browser", err=as_json)
