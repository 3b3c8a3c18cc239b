"""`vde suite get`: a published suite from the Hugging Face hub."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from vdebench.cli.progress import progress_bars

if TYPE_CHECKING:
    from vdebench.suites.hub.repository import ResolvedRevision


def get_command(
    name: str = typer.Argument(..., metavar="NAME", help="vde-v3, textedit or omnidocbench."),
    out: Path | None = typer.Option(None, "--out", "-o", help="Folder for it; data/NAME by default."),
    revision: str = typer.Option(
        "", "--revision", help="Commit id, tag or branch; else what the folder holds, or main."
    ),
    update: bool = typer.Option(False, "--update", help="Go to the newest revision, or to --revision."),
    accept_licence: bool = typer.Option(False, "--accept-licence", help="Accept the licence, as a script must."),
    only: list[str] = typer.Option([], "--only", metavar="GLOB", help="Only these files; '*' for all there are."),
    verify: bool = typer.Option(False, "--verify", help="Read every file again and compare its checksum."),
    placed: bool = typer.Option(False, "--placed", help="Take the files that lie in the folder; the hub is not asked."),
    by_hand: bool = typer.Option(False, "--by-hand", help="Only say how to place the files without the hub."),
    as_json: bool = typer.Option(False, "--json", help="Print what became of it as JSON."),
) -> None:
    """Fetch a published suite from the Hugging Face hub, pinned to a revision, verified and checked.

    The same command again goes on where it was, and keeps to the revision. HF_ENDPOINT names a mirror, HF_TOKEN
    opens gated repositories. Exit code 2 where it could not be had, 0 where it loads, whatever faults it has.

    Example: `vde suite get vde-v3 -o data/vde-v3`

    Example: `vde suite get textedit --revision 4f1c… --accept-licence --json`
    """
    from vdebench.suites.hub import DownloadRequest, data_set, get_suite, take_placed
    from vdebench.suites.hub.result import lines, to_json
    from vdebench.suites.hub.sets import by_hand as how
    from vdebench.suites.hub.sets import home

    one = data_set(name)
    folder = out if out is not None else home(one.name)
    if by_hand:
        typer.echo(how(one, folder))
        return

    def tell(line: str) -> None:
        typer.echo(line, err=as_json)

    def accept(page: str, head: ResolvedRevision) -> bool:
        tell(f"{one.title}: {one.repo}, revision {head.commit}")
        tell(f"licence: {head.licence.summary}\n  {head.licence.advice}: {page}")
        return accept_licence or (sys.stdin.isatty() and typer.confirm("Do you accept it?", err=True))

    if placed:
        got = take_placed(one, folder)
    else:
        with progress_bars(quiet=as_json) as bars:
            got = get_suite(
                DownloadRequest(one, folder, revision, update, tuple(only), verify), accept, tell=tell, bars=bars
            )
    if as_json:
        typer.echo(json.dumps(to_json(got, folder), ensure_ascii=False, indent=2))
    else:
        typer.echo("\n".join(lines(got)))
