"""`vde run`: edit, read, score."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import typer

from vdebench.cli.printing import echo_line, table_text
from vdebench.cli.progress import progress_bars
from vdebench.cli.read import reader_options
from vdebench.cli.score import tell_failures
from vdebench.cli.suites import SUITE_HELP, open_suite
from vdebench.cli.table import INTERVALS_HELP, SIGNATURE
from vdebench.editors.selection import parse_choices
from vdebench.errors import VdeError
from vdebench.pipeline.options import GroundTruthChoice
from vdebench.report.edit_counts import edits_lines
from vdebench.report.overview import editors_table
from vdebench.report.usable import usable_overview

EDITOR_HELP = "Who edits: a name that `vde editors` lists, or the address of a server."
OPTION_HELP = "An option of an editor."


def run_command(
    suite: Path = typer.Argument(..., metavar="SUITE", help=SUITE_HELP),
    editor: list[str] = typer.Option(
        ..., "--editor", "-e", metavar="[NAME=]EDITOR", help=EDITOR_HELP + " Repeat for several."
    ),
    out: Path = typer.Option(..., "--out", "-o", metavar="RUNS", help="Folder for all that is made."),
    protocol: list[str] = typer.Option(["strict"], "--protocol", "-p", help="How to score; repeat for several."),
    option: list[str] = typer.Option([], "--editor-option", metavar="EDITOR.NAME=VALUE", help=OPTION_HELP),
    reader: str = typer.Option("rapidocr", "--reader", help="Who reads; `vde doctor` lists them."),
    read_option: list[str] = typer.Option([], "--reader-option", metavar="NAME=VALUE", help="An option of the reader."),
    ground_truth: GroundTruthChoice = typer.Option(
        "suite", "--ground-truth", help="suite: its text; ocr: the reader reads the reference images."
    ),
    metrics: str = typer.Option("", "--metrics", help="Image metrics, with commas, or `none`; the papers' by default."),
    seed: int = typer.Option(0, "--seed", help="Random seed for editors that sample."),
    max_pixels: int = typer.Option(
        0, "--max-pixels", help="Shrink larger pages before an editor sees them; in the signature. 0 gives them whole."
    ),
    rewriter: str = typer.Option(
        "",
        "--prompt-rewriter",
        metavar="MODEL|FILE",
        help="Put instructions into other words first: by a model on a server, or as a .jsonl says; in the signature.",
    ),
    rewriter_option: list[str] = typer.Option(
        [], "--rewriter-option", metavar="NAME=VALUE", help="As url=http://…/v1."
    ),
    budget: float | None = typer.Option(None, "--budget", help="Dollars that all editors of RUNS may cost together."),
    images: str = typer.Option(
        "", "--image-store", metavar="URL", help="Object store for the outputs: s3://bucket/night-1."
    ),
    workers: int = typer.Option(0, "--workers", help="Processes that edit, read, score; 0 for one per processor."),
    engine: str = typer.Option("local", "--engine", help="local: this machine; ray: a cluster."),
    address: str = typer.Option("", "--address", help="Of a Ray cluster that is there, as auto or ray://host:10001."),
    intervals: bool = typer.Option(False, "--intervals", help=INTERVALS_HELP),
    short: bool = SIGNATURE,
    as_json: bool = typer.Option(False, "--json", help="Print the summaries as JSON."),
) -> None:
    """Edit a suite, read what was made, score it; stop it anywhere and run it again: nothing is lost or done twice.

    Examples:

    `vde run typeset:n=16,seed=1 -e copy -e overlay -e oracle --out runs && vde report runs -o report`

    `vde run data/vde-v3 -e qwen-image-edit -e nano-banana --budget 50 -p strict -p vde-v3 --out runs`

    `vde run data/vde-v3 -e mine=http://gpu-box:8000/v1 --editor-option mine.per_minute=30 --out runs`
    """
    from vdebench.net.budget import parse_budget
    from vdebench.parallel.engines import get_engine
    from vdebench.pipeline.rewriting import get_rewriter
    from vdebench.pipeline.run import run
    from vdebench.readers.cached import CachedReader

    loaded = open_suite(suite, quiet=as_json)
    choices = parse_choices(editor)
    measured = [name.strip() for name in metrics.split(",") if name.strip() != "none"] if metrics else None
    rewrites = get_rewriter(rewriter, reader_options(rewriter_option)) if rewriter else None
    with progress_bars(quiet=as_json) as bar, get_engine(engine, address) as spreading:
        results = run(
            loaded,
            editor,
            out,
            protocols=list(dict.fromkeys(protocol)),
            reader=CachedReader.named(reader, reader_options(read_option)),
            options=_editor_options(option, [choice.name for choice in choices]),
            ground_truth=ground_truth,
            metrics=measured,
            seed=seed,
            max_pixels=max_pixels,
            rewriter=rewrites,
            budget=parse_budget(budget),
            images=images,
            workers=workers,
            engine=spreading,
            bar=bar,
        )
    summaries = [result.summary for group in results.values() for result in group]
    if as_json:
        typer.echo(json.dumps({"runs": summaries}, ensure_ascii=False, indent=2, allow_nan=False))
    else:
        for group in results.values():
            found = [result.summary for result in group]
            for table in (usable_overview(found), editors_table(found)):
                if table:
                    typer.echo(table_text(table, intervals=intervals, more="--json", full_signature=not short))
        for line in edits_lines(out, [choice.name for choice in choices]):
            echo_line(line)
        echo_line(f"{out}: kept; look with `vde report {out} -o report`")
    failures = [failure for group in results.values() for result in group for failure in result.failures]
    if failures:
        tell_failures(failures)
        raise typer.Exit(2)


def _editor_options(given: list[str], editors: list[str]) -> dict[str, dict[str, Any]]:
    """Options by editor: `overlay.font=serif`."""
    found: dict[str, dict[str, Any]] = {}
    for name, value in reader_options(given).items():
        editor, _, option = name.rpartition(".")  # emu3.5.python
        if editor not in editors:
            raise VdeError(f"--editor-option {name}: expected EDITOR.NAME=VALUE with one of {', '.join(editors)}")
        found.setdefault(editor, {})[option] = value
    return found
