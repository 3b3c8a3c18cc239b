"""`vde run`: edit, read, score."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import typer

from vdebench.api import TruthChoice
from vdebench.cli.progress import progress_bars
from vdebench.cli.read import reader_options
from vdebench.cli.score import tell_failures
from vdebench.cli.suites import SUITE_HELP, open_suite
from vdebench.cli.table import INTERVALS_HELP
from vdebench.editors.editor import EDITORS
from vdebench.errors import VdeError
from vdebench.report.overview import editors_table
from vdebench.report.table import render
from vdebench.report.usable import judged_table

EDITOR_HELP = f"Who edits: {', '.join(EDITORS)}, or another package's."
OPTION_HELP = "An option of an editor."


def run_command(
    suite: Path = typer.Argument(..., metavar="SUITE", help=SUITE_HELP),
    editor: list[str] = typer.Option(..., "--editor", "-e", help=EDITOR_HELP + " Repeat for several."),
    out: Path = typer.Option(..., "--out", "-o", metavar="RUNS", help="Folder for all that is made."),
    protocol: list[str] = typer.Option(["exact"], "--protocol", "-p", help="How to score; repeat for several."),
    option: list[str] = typer.Option([], "--editor-option", metavar="EDITOR.NAME=VALUE", help=OPTION_HELP),
    reader: str = typer.Option("rapidocr", "--reader", help="Who reads; `vde doctor` lists them."),
    read_option: list[str] = typer.Option([], "--reader-option", metavar="NAME=VALUE", help="An option of the reader."),
    truth: TruthChoice = typer.Option(
        "suite", "--truth", help="suite: its readings; read: the reader reads references."
    ),
    metrics: str = typer.Option("", "--metrics", help="Image metrics, with commas, or `none`; the papers' by default."),
    seed: int = typer.Option(0, "--seed", help="For editors that draw lots."),
    workers: int = typer.Option(0, "--workers", help="Processes that edit and read; 0 for one per processor."),
    intervals: bool = typer.Option(False, "--intervals", help=INTERVALS_HELP),
    as_json: bool = typer.Option(False, "--json", help="Print the summaries as JSON."),
) -> None:
    """Edit a suite, read what was made, score it; stop it anywhere and run it again: nothing is lost or done twice.

    Example: `vde run typeset:n=16,seed=1 -e copy -e overlay -e oracle --out runs && vde report runs -o report`
    """
    from vdebench.readers.cached import CachedReader
    from vdebench.running import run

    loaded = open_suite(suite, quiet=as_json)
    measured = [name.strip() for name in metrics.split(",") if name.strip() != "none"] if metrics else None
    with progress_bars(quiet=as_json) as bar:
        results = run(
            loaded,
            list(dict.fromkeys(editor)),
            out,
            protocols=list(dict.fromkeys(protocol)),
            reader=CachedReader.named(reader, reader_options(read_option)),
            options=_editor_options(option, editor),
            truth=truth,
            metrics=measured,
            seed=seed,
            workers=workers,
            bar=bar,
        )
    summaries = [result.summary for group in results.values() for result in group]
    if as_json:
        typer.echo(json.dumps({"runs": summaries}, ensure_ascii=False, indent=2, allow_nan=False))
    else:
        for group in results.values():
            found = [result.summary for result in group]
            for table in (judged_table(found), editors_table(found)):
                if table:
                    typer.echo(render(table, "terminal", bold=sys.stdout.isatty(), intervals=intervals))
        typer.echo(f"{out}: kept; look with `vde report {out} -o report`")
    failures = [failure for group in results.values() for result in group for failure in result.failures]
    if failures:
        tell_failures(failures)
        raise typer.Exit(2)


def _editor_options(given: list[str], editors: list[str]) -> dict[str, dict[str, Any]]:
    """Options by editor: `overlay.font=serif`."""
    found: dict[str, dict[str, Any]] = {}
    for name, value in reader_options(given).items():
        editor, dot, option = name.partition(".")
        if not dot or editor not in editors:
            raise VdeError(f"--editor-option {name}: expected EDITOR.NAME=VALUE with one of {', '.join(editors)}")
        found.setdefault(editor, {})[option] = value
    return found
