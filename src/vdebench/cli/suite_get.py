"""`vde suite get`: download a published suite from the Hugging Face hub."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from vdebench.cli.printing import echo_json
from vdebench.cli.progress import progress_bars

if TYPE_CHECKING:
    from vdebench.suites.hub.repository import ResolvedRevision


def get_command(
    name: str = typer.Argument(..., metavar="NAME", help="Suite to download: vde-v3, textedit or omnidocbench."),
    out: Path | None = typer.Option(None, "--out", "-o", help="Target folder; data/NAME by default."),
    revision: str = typer.Option(
        "", "--revision", help="Commit id, tag or branch; by default the folder's revision, or main."
    ),
    update: bool = typer.Option(False, "--update", help="Replace the files with the newest revision or --revision."),
    accept_licence: bool = typer.Option(False, "--accept-licence", help="Accept the licence without a prompt."),
    only: list[str] = typer.Option(
        [], "--only", metavar="GLOB", help="Download only these files; '*' for all files of the repository."
    ),
    verify: bool = typer.Option(False, "--verify", help="Read every file again and compare its checksum."),
    placed: bool = typer.Option(False, "--placed", help="Use files placed in the folder by hand; no network access."),
    by_hand: bool = typer.Option(False, "--by-hand", help="Only print how to place the files by hand."),
    as_json: bool = typer.Option(False, "--json", help="Print the result as JSON."),
) -> None:
    """Download a published suite from the Hugging Face hub at a pinned revision, and check it.

    Run the command again to resume an interrupted download. HF_ENDPOINT names a mirror, HF_TOKEN gives access to
    gated repositories. The exit code is 2 if the licence was not accepted, a download failed, or the suite cannot be
    loaded; faults in the data do not change it.

    Example: `vde suite get vde-v3 -o data/vde-v3`

    Example: `vde suite get textedit --revision 4f1c… --accept-licence --json`
    """
    from vdebench.suites.hub import DownloadRequest, data_set, get_suite, take_placed
    from vdebench.suites.hub.result import lines, to_json
    from vdebench.suites.hub.sets import default_folder, manual_instructions

    dataset = data_set(name)
    folder = out if out is not None else default_folder(dataset.name)
    if by_hand:
        typer.echo(manual_instructions(dataset, folder))
        return

    def echo(line: str) -> None:
        typer.echo(line, err=as_json)

    def accept(page_url: str, head: ResolvedRevision) -> bool:
        echo(f"{dataset.title}: {dataset.repo}, revision {head.commit}")
        echo(f"licence: {head.licence.summary}\n  {head.licence.advice}: {page_url}")
        return accept_licence or (sys.stdin.isatty() and typer.confirm("Do you accept it?", err=True))

    if placed:
        result = take_placed(dataset, folder)
    else:
        request = DownloadRequest(dataset, folder, revision, update, tuple(only), verify)
        with progress_bars(quiet=as_json) as bars:
            result = get_suite(request, accept, tell=echo, bars=bars)
    if as_json:
        echo_json(to_json(result, folder))
    else:
        typer.echo("\n".join(lines(result)))
