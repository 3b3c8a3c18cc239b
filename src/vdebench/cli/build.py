"""`vde build`: a benchmark from documents, stage by stage, in a workspace folder."""

from __future__ import annotations

import json
import os
from pathlib import Path

import typer

from vdebench.cli import build_review
from vdebench.cli.build_messages import listed, tell
from vdebench.cli.progress import progress_bar
from vdebench.cli.read import reader_options
from vdebench.cli.review_options import DATABASE
from vdebench.cli.run import EDITOR_HELP, OPTION_HELP
from vdebench.errors import InputError

app = typer.Typer(help="Make a benchmark from documents.", no_args_is_help=True)
WORKSPACE = typer.Argument(..., metavar="WORKSPACE", help="A folder that `vde build init` made.")
WORKERS = typer.Option(0, "--workers", help="Processes; 0 for one per processor.")
SOURCE_HELP = "OmniDocBench JSON, PDFs, images, or folders of PDFs and images; none to go on with what was begun."


@app.command()
def init(
    context: typer.Context,
    workspace: Path = typer.Argument(..., metavar="WORKSPACE", help="A new folder, or one that was begun."),
    sources: list[Path] = typer.Argument(None, metavar="[SOURCE]...", help=SOURCE_HELP),
    name: str = typer.Option("", "--name", help="What the benchmark is called; the folder's name by default."),
    licence: str = typer.Option("unknown", "--licence", help="Of the pages, as hubs write it: cc-by-4.0."),
    preset: str = typer.Option("v3", "--preset", help="v1: the three text edits; v3: two of the seven; all of them."),
    seed: int = typer.Option(0, "--seed", help="Of all draws."),
    images: Path | None = typer.Option(None, "--images", help="Folder of an OmniDocBench file's images."),
    pages: str = typer.Option("", "--pages", help="Of each PDF, as 1-3,7; all by default."),
    ppi: int = typer.Option(150, "--ppi", help="Pixels per inch that PDFs are drawn with."),
    document: str = typer.Option(
        "", "--document", help="Kind of document, where no data set says it: research_report."
    ),
    language: str = typer.Option(
        "",
        "--language",
        help="Where no data set says it: english, simplified_chinese, en_ch_mixed; found out if empty.",
    ),
    generator: list[str] = typer.Option(
        ["template"], "--generator", help="Who writes instructions; repeat for several."
    ),
    generator_option: list[str] = typer.Option(
        [], "--generator-option", metavar="[GENERATOR.]NAME=VALUE", help="As url=http://localhost:8000/v1."
    ),
    editor: str = typer.Option("overlay", "--editor", "-e", help=EDITOR_HELP),
    editor_option: list[str] = typer.Option([], "--editor-option", metavar="NAME=VALUE", help=OPTION_HELP),
    reader: str = typer.Option("rapidocr", "--reader", help="Who reads; `vde doctor` lists them."),
    reader_option: list[str] = typer.Option(
        [], "--reader-option", metavar="NAME=VALUE", help="An option of the reader."
    ),
    workers: int = WORKERS,
) -> None:
    """Bring pages into a workspace, each with its reading, language, kind, and whether it has a table.

    Examples:

    `vde build init mine scans/ reports/2024.pdf --pages 1-5 --licence cc-by-4.0`

    `vde build init mine OmniDocBench.json --images OmniDocBench/images --preset v3 --seed 1`

    `vde build init mine scans --generator qwen3-vl --generator glm-4.5v --generator-option url=http://localhost:8000/v1`
    """
    from vdebench.build.pages import initialise, prepare
    from vdebench.build.settings import BuildSettings, Component, SourceSettings, generators_of

    if not sources:
        _require_none_given(context)
    where = os.path.abspath(images) if images else ""
    places = [os.path.abspath(path) for path in sources or ()]
    settings = BuildSettings(
        name=name or Path(os.path.abspath(workspace)).name,
        licence=licence,
        preset=preset,
        seed=seed,
        generators=generators_of(generator, reader_options(generator_option)),
        editor=Component(editor, reader_options(editor_option)),
        reader=Component(reader, reader_options(reader_option)),
        sources=tuple(SourceSettings(path, where, pages, ppi, document, language) for path in places),
    )
    made = prepare(workspace, settings if sources else None)
    with progress_bar("pages") as progress:
        counts = initialise(made, workers, progress)
    tell(made.root, counts, "pages", f"vde build instruct {workspace}")


@app.command()
def instruct(
    workspace: Path = WORKSPACE,
    attempts: int = typer.Option(3, "--attempts", min=1, help="Answers of a generator that are looked at."),
    concurrency: int = typer.Option(4, "--concurrency", min=1, help="Requests at the same time."),
) -> None:
    """Draw operations for every page, have instructions written, check each against the page.

    Example: `vde build instruct mine`
    """
    from vdebench.build.instruct import instruct as run
    from vdebench.build.workspace import Workspace

    with progress_bar("instructions") as progress:
        counts = run(Workspace(workspace), attempts=attempts, parallelism=concurrency, progress=progress)
    tell(workspace, counts, "instructions", f"vde build edit {workspace}")


@app.command()
def edit(
    workspace: Path = WORKSPACE,
    editor: str = typer.Option("", "--editor", "-e", help=EDITOR_HELP + " As build.toml says if empty."),
    option: list[str] = typer.Option([], "--editor-option", metavar="NAME=VALUE", help=OPTION_HELP),
    budget: float | None = typer.Option(None, "--budget", help="Dollars that the edits may cost together."),
    workers: int = WORKERS,
) -> None:
    """Have an editor carry the instructions out; refusals and failures are kept with their reasons.

    Examples:

    `vde build edit mine`

    `vde build edit mine --editor nano-banana-pro --budget 40`
    """
    from vdebench.build.edit import choose_editor
    from vdebench.build.edit import edit as run
    from vdebench.build.workspace import Workspace
    from vdebench.net.budget import parse_budget

    found = Workspace(workspace)
    if editor or option:
        found = choose_editor(found, editor, reader_options(option))
    with progress_bar("edits") as progress:
        counts = run(found, budget=parse_budget(budget), workers=workers, progress=progress)
    tell(workspace, counts, "edited", f"vde build read {workspace}")


@app.command()
def read(workspace: Path = WORKSPACE, workers: int = WORKERS) -> None:
    """Read every edited image, whole and where it differs from its page.

    Example: `vde build read mine`
    """
    from vdebench.build.read import read as run
    from vdebench.build.workspace import Workspace

    with progress_bar("readings") as progress:
        counts = run(Workspace(workspace), workers=workers, progress=progress)
    tell(workspace, counts, "read", f"vde build review {workspace} (by people; with --automatic by a filter)")


app.command("review")(build_review.review_command)


@app.command()
def package(
    workspace: Path = WORKSPACE,
    out: Path | None = typer.Option(None, "--out", "-o", help="Another folder than WORKSPACE/package."),
    database: str = DATABASE,
    as_written: bool = typer.Option(
        False, "--as-written", help="Take review.jsonl as it is: do not ask the database of people's review."
    ),
) -> None:
    """Write what has passed as a suite, as a folder for Hugging Face, with card, figures and checksums.

    Where people review the workspace, what they have decided by now is brought into it first.

    Example: `vde build package mine && vde suite check mine/package`
    """
    from vdebench.build.funnel import funnel
    from vdebench.build.package import package as run
    from vdebench.build.workspace import Workspace
    from vdebench.review.preparation import bring_decisions

    found = Workspace(workspace)
    if not as_written:
        brought = bring_decisions(found, database)
        for words in brought.failed.values() if brought else ():
            typer.echo(f"warning: {words}")
    with progress_bar("package") as progress:
        counts = run(found, out, progress)
    typer.echo(f"{out or found.package}: {counts.total()} samples ({listed(counts)})")
    if waiting := sum(step.pending for step in funnel(found)[3:]):
        typer.echo(f"  {waiting} more are not decided yet: vde build status {workspace}")


@app.command()
def status(workspace: Path = WORKSPACE, as_json: bool = typer.Option(False, "--json", help="For programs.")) -> None:
    """The funnel: how many went into each step, came out, were turned down and why. Exit code 2 if it does not add up.

    Example: `vde build status mine`
    """
    from vdebench.build.status import status_json, status_table
    from vdebench.build.workspace import Workspace
    from vdebench.cli.printing import table_text

    found = Workspace(workspace)
    told = status_json(found)
    typer.echo(
        json.dumps(told, ensure_ascii=False, indent=2) if as_json else table_text(status_table(found), more="--json")
    )
    if not told["adds_up"]:
        raise typer.Exit(2)


def _require_none_given(context: typer.Context) -> None:
    """What `init` goes on with is said by `build.toml`: an option beside it would be passed over in silence."""
    given = [
        parameter.opts[0]
        for parameter in context.command.params
        if parameter.name not in ("workspace", "sources", "workers")
        and (source := context.get_parameter_source(parameter.name or "")) is not None
        and source.name not in ("DEFAULT", "DEFAULT_MAP")
    ]
    if given:
        raise InputError(
            f"{', '.join(given)}: without a SOURCE the workspace goes on as its build.toml says\n"
            "  change that file, or name the SOURCE of a new workspace"
        )
