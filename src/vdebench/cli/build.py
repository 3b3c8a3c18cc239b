"""`vde build`: build a benchmark from documents, stage by stage, in a workspace folder."""

from __future__ import annotations

import os
from pathlib import Path

import typer

from vdebench.cli import build_review
from vdebench.cli.build_messages import echo_counts, format_counts
from vdebench.cli.printing import echo_json, table_text
from vdebench.cli.progress import progress_bar
from vdebench.cli.read import READER_HELP, READER_OPTION_HELP, reader_options
from vdebench.cli.review_options import DATABASE
from vdebench.cli.run import EDITOR_HELP, OPTION_HELP
from vdebench.errors import InputError

app = typer.Typer(help="Build a benchmark from documents.", no_args_is_help=True)
WORKSPACE = typer.Argument(..., metavar="WORKSPACE", help="Folder made by `vde build init`.")
WORKERS = typer.Option(0, "--workers", help="Processes; 0 for one per processor.")
SOURCE_HELP = "OmniDocBench JSON, PDFs, images, or folders of PDFs and images; none to resume."


@app.command()
def init(
    context: typer.Context,
    workspace: Path = typer.Argument(..., metavar="WORKSPACE", help="A new folder, or one to resume."),
    sources: list[Path] = typer.Argument(None, metavar="[SOURCE]...", help=SOURCE_HELP),
    name: str = typer.Option("", "--name", help="Name of the benchmark; by default the folder's."),
    licence: str = typer.Option("unknown", "--licence", help="Licence identifier of the pages, such as cc-by-4.0."),
    preset: str = typer.Option(
        "v3", "--preset", help="Operations: v1 (the three text edits), v3 (two of the seven per page) or all."
    ),
    seed: int = typer.Option(0, "--seed", help="Random seed."),
    images: Path | None = typer.Option(None, "--images", help="Image folder of an OmniDocBench file."),
    pages: str = typer.Option("", "--pages", help="Pages of each PDF, such as 1-3,7; all by default."),
    ppi: int = typer.Option(150, "--ppi", help="Resolution of rendered PDFs, in pixels per inch."),
    document: str = typer.Option(
        "", "--document", help="Document type, if the source does not state it: research_report."
    ),
    language: str = typer.Option(
        "",
        "--language",
        help="Language, if the source does not state it: english, simplified_chinese, en_ch_mixed; detected if empty.",
    ),
    generator: list[str] = typer.Option(["template"], "--generator", help="Generator of instructions; repeatable."),
    generator_option: list[str] = typer.Option(
        [],
        "--generator-option",
        metavar="[GENERATOR.]NAME=VALUE",
        help="Option of a generator: url=http://localhost:8000/v1.",
    ),
    editor: str = typer.Option("overlay", "--editor", "-e", help=EDITOR_HELP),
    editor_option: list[str] = typer.Option([], "--editor-option", metavar="NAME=VALUE", help=OPTION_HELP),
    reader: str = typer.Option("rapidocr", "--reader", help=READER_HELP),
    reader_option: list[str] = typer.Option([], "--reader-option", metavar="NAME=VALUE", help=READER_OPTION_HELP),
    workers: int = WORKERS,
) -> None:
    """Import pages into a workspace, and determine OCR output, language, document type and tables of each.

    Examples:

    `vde build init mine scans/ reports/2024.pdf --pages 1-5 --licence cc-by-4.0`

    `vde build init mine OmniDocBench.json --images OmniDocBench/images --preset v3 --seed 1`

    `vde build init mine scans --generator qwen3-vl --generator glm-4.5v --generator-option url=http://localhost:8000/v1`
    """
    from vdebench.build.pages import initialise, prepare
    from vdebench.build.settings import BuildSettings, Component, SourceSettings, generators_of

    if not sources:
        _require_no_options(context)
    image_folder = os.path.abspath(images) if images else ""
    paths = [os.path.abspath(path) for path in sources or ()]
    settings = BuildSettings(
        name=name or Path(os.path.abspath(workspace)).name,
        licence=licence,
        preset=preset,
        seed=seed,
        generators=generators_of(generator, reader_options(generator_option)),
        editor=Component(editor, reader_options(editor_option)),
        reader=Component(reader, reader_options(reader_option)),
        sources=tuple(SourceSettings(path, image_folder, pages, ppi, document, language) for path in paths),
    )
    folder = prepare(workspace, settings if sources else None)
    with progress_bar("pages") as progress:
        counts = initialise(folder, workers, progress)
    echo_counts(folder.root, counts, "pages", f"vde build instruct {workspace}")


@app.command()
def instruct(
    workspace: Path = WORKSPACE,
    attempts: int = typer.Option(3, "--attempts", min=1, help="Maximum number of answers per instruction."),
    concurrency: int = typer.Option(4, "--concurrency", min=1, help="Maximum number of concurrent requests."),
) -> None:
    """Choose operations for every page, generate instructions, and check each against the page.

    Example: `vde build instruct mine`
    """
    from vdebench.build.instruct import instruct as run
    from vdebench.build.workspace import Workspace

    with progress_bar("instructions") as progress:
        counts = run(Workspace(workspace), attempts=attempts, parallelism=concurrency, progress=progress)
    echo_counts(workspace, counts, "instructions", f"vde build edit {workspace}")


@app.command()
def edit(
    workspace: Path = WORKSPACE,
    editor: str = typer.Option("", "--editor", "-e", help=EDITOR_HELP + " By default that of build.toml."),
    option: list[str] = typer.Option([], "--editor-option", metavar="NAME=VALUE", help=OPTION_HELP),
    budget: float | None = typer.Option(None, "--budget", help="Maximum cost in dollars."),
    workers: int = WORKERS,
) -> None:
    """Run an editor on the instructions; refusals and failures are recorded with their reasons.

    Examples:

    `vde build edit mine`

    `vde build edit mine --editor nano-banana-pro --budget 40`
    """
    from vdebench.build.edit import choose_editor
    from vdebench.build.edit import edit as run
    from vdebench.build.workspace import Workspace
    from vdebench.net.budget import parse_budget

    folder = Workspace(workspace)
    if editor or option:
        folder = choose_editor(folder, editor, reader_options(option))
    with progress_bar("edits") as progress:
        counts = run(folder, budget=parse_budget(budget), workers=workers, progress=progress)
    echo_counts(workspace, counts, "edited", f"vde build read {workspace}")


@app.command()
def read(workspace: Path = WORKSPACE, workers: int = WORKERS) -> None:
    """Run OCR on every edited image: the whole page, and the regions that differ from the source page.

    Example: `vde build read mine`
    """
    from vdebench.build.read import read as run
    from vdebench.build.workspace import Workspace

    with progress_bar("OCR") as progress:
        counts = run(Workspace(workspace), workers=workers, progress=progress)
    echo_counts(workspace, counts, "read", f"vde build review {workspace} (by people; with --automatic by a filter)")


app.command("review")(build_review.review_command)


@app.command()
def package(
    workspace: Path = WORKSPACE,
    out: Path | None = typer.Option(None, "--out", "-o", help="Output folder; by default WORKSPACE/package."),
    database: str = DATABASE,
    as_written: bool = typer.Option(
        False, "--as-written", help="Use review.jsonl as it is; do not read the review database."
    ),
) -> None:
    """Write the accepted samples as a suite for Hugging Face, with dataset card, figures and checksums.

    Decisions of a human review are read from its database first.

    Example: `vde build package mine && vde suite check mine/package`
    """
    from vdebench.build.funnel import funnel
    from vdebench.build.package import package as run
    from vdebench.build.workspace import Workspace
    from vdebench.review.preparation import bring_decisions

    folder = Workspace(workspace)
    if not as_written:
        decisions = bring_decisions(folder, database)
        for message in decisions.failed.values() if decisions else ():
            typer.echo(f"warning: {message}")
    with progress_bar("package") as progress:
        counts = run(folder, out, progress)
    typer.echo(f"{out or folder.package}: {counts.total()} samples ({format_counts(counts)})")
    if pending := sum(step.pending for step in funnel(folder)[3:]):
        typer.echo(f"  {pending} more are not decided yet: vde build status {workspace}")


@app.command()
def status(workspace: Path = WORKSPACE, as_json: bool = typer.Option(False, "--json", help="Print as JSON.")) -> None:
    """Show the funnel: samples in and out of each step, rejections by reason. Exit code 2 if counts do not add up.

    Example: `vde build status mine`
    """
    from vdebench.build.status import status_json, status_table
    from vdebench.build.workspace import Workspace

    folder = Workspace(workspace)
    status = status_json(folder)
    if as_json:
        echo_json(status)
    else:
        typer.echo(table_text(status_table(folder), more="--json"))
    if not status["adds_up"]:
        raise typer.Exit(2)


def _require_no_options(context: typer.Context) -> None:
    """Raise an error for options of `init` without a SOURCE: the settings come from build.toml then."""
    options = [
        parameter.opts[0]
        for parameter in context.command.params
        if parameter.name not in ("workspace", "sources", "workers")
        and (source := context.get_parameter_source(parameter.name or "")) is not None
        and source.name not in ("DEFAULT", "DEFAULT_MAP")
    ]
    if options:
        raise InputError(
            f"{', '.join(options)}: without a SOURCE the settings of the workspace come from its build.toml\n"
            "  change that file, or name the SOURCE of a new workspace"
        )
