"""`vde judge` and `vde ambiguity`: grades by multimodal models."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from vdebench.cli.editors import folder_name, name_and_place, require_distinct
from vdebench.cli.judge_show import echo_estimates, echo_results, report_problems, spend_bar, spent
from vdebench.cli.names import MATCH_HELP, STRICT_HELP
from vdebench.cli.suites import SUITE_HELP, open_suite
from vdebench.errors import VdeError
from vdebench.io.files import is_folder, list_folder
from vdebench.pipeline.output_record import scored_images
from vdebench.report.grades import GRADED
from vdebench.report.rendering import Format
from vdebench.runs.provenance import RUN_FILE, read_run_file
from vdebench.runs.search import is_run

# Options of both commands.
Out = Annotated[
    Path | None, typer.Option("--out", "-o", metavar="RUN", help="Run folder; the same command resumes the run.")
]
Repeat = Annotated[int, typer.Option("--repeat", min=1, help="Number of answers per question; all are stored.")]
Budget = Annotated[
    float | None, typer.Option("--budget", help="Maximum cost in dollars; the run stops before it is exceeded.")
]
PriceOption = Annotated[
    str,
    typer.Option("--price", metavar="IN,OUT", help="Dollars per million tokens, instead of the built-in price table."),
]
BaseUrl = Annotated[
    str, typer.Option("--base-url", metavar="URL", help="An OpenAI-compatible server: http://host:8000/v1.")
]
KeyVariable = Annotated[
    str,
    typer.Option(
        "--key-variable",
        metavar="NAME",
        help="Environment variable with the API key; by default OPENAI_API_KEY, GEMINI_API_KEY or ANTHROPIC_API_KEY.",
    ),
]
Prompts = Annotated[
    Path | None,
    typer.Option("--prompts", metavar="DIR", help="Folder of prompts that replace the built-in ones of the same name."),
]
Images = Annotated[
    str,
    typer.Option("--image-size", metavar="full|PIXELS", help="Longest side of the images sent; full for no scaling."),
]
Temperature = Annotated[
    str, typer.Option("--temperature", help="Sampling temperature, or `default` for models that accept no other.")
]
Timeout = Annotated[float, typer.Option("--timeout", help="Timeout of a request in seconds.")]
Concurrency = Annotated[int, typer.Option("--concurrency", min=1, help="Maximum number of concurrent requests.")]
DryRun = Annotated[
    bool, typer.Option("--dry-run", help="Print the number of questions and the estimated cost; ask nothing.")
]
PaperTables = Annotated[
    list[str], typer.Option("--paper-table", help=f"Layout of a paper's table: {', '.join(GRADED)}. Repeatable.")
]
By = Annotated[list[str], typer.Option("--by", help="Break down by group, operation, source, tier or language.")]
Form = Annotated[Format, typer.Option("--format", help="terminal, markdown, csv or latex.")]
IsPublished = Annotated[bool, typer.Option("--published", help="Add the rows published in the paper.")]
JUDGE_HELP = "Judge model: gpt-4o, any model behind --base-url, gemini:MODEL or anthropic:MODEL."


def judge_command(
    suite: Path = typer.Argument(..., metavar="SUITE", help=SUITE_HELP),
    predictions: list[Path] = typer.Argument(
        ..., metavar="PREDICTIONS...", help="Folders of images, one per editor, or run folders."
    ),
    judge: str = typer.Option(..., "--judge", "-j", help=JUDGE_HELP),
    out: Out = None,
    match: str = typer.Option("", "--match", metavar="PATTERN", help=MATCH_HELP),
    strict_names: bool = typer.Option(False, "--strict-names", help=STRICT_HELP),
    dimensions: str = typer.Option("IF,TA,VC,LP,SE", "--dimensions", "-d", help="Comma-separated dimensions."),
    repeat: Repeat = 1,
    budget: Budget = None,
    price: PriceOption = "",
    base_url: BaseUrl = "",
    key_variable: KeyVariable = "",
    prompts: Prompts = None,
    images: Images = "full",
    temperature: Temperature = "0",
    timeout: Timeout = 300,
    concurrency: Concurrency = 64,
    dry_run: DryRun = False,
    human: Path | None = typer.Option(
        None, "--human", metavar="CSV", help="Human scores to correlate with: sample,dimension,score."
    ),
    paper_tables: PaperTables = [],  # noqa: B006 (typer copies it)
    by: By = [],  # noqa: B006
    form: Form = "terminal",
    published: IsPublished = False,
    as_json: bool = typer.Option(False, "--json", help="Print the summary as JSON."),
) -> None:
    """Grade editors' outputs with a multimodal model. An interrupted run resumes; no question is asked twice.

    Example: `vde judge SUITE outputs/ --judge gpt-4o --repeat 3 --budget 5.00 --out runs/judged`
    """
    from vdebench.net.prices import parse_price
    from vdebench.pipeline.judging.stage import JudgingOptions, estimate_run, judge_suite, judged_outputs, plan_suite

    editors = _editors(predictions)
    _check_table_options(paper_tables, by)
    loaded = open_suite(suite, quiet=as_json)
    parsed_price = parse_price(price) if price else None
    options = JudgingOptions(dimensions.split(","), repeat, prompts, images, budget, parsed_price, concurrency)
    create_judge = _judge_factory(base_url, key_variable, temperature, timeout, concurrency, dry_run)
    folders = {name: out / name if out and len(editors) > 1 else out for name, _ in editors}
    for _, folder in editors:  # check the file names of all editors before the first request is paid
        judged_outputs(loaded, folder, match, strict_names=strict_names)
    names: dict[str, Any] = {"match": match, "strict_names": strict_names}
    if dry_run:
        plans = {name: plan_suite(loaded, folder, create_judge(judge), options, **names) for name, folder in editors}
        echo_estimates({name: estimate_run(plan, folders[name]) for name, plan in plans.items()}, options, as_json)
        return
    results: dict[str, Any] = {}
    for name, folder in editors:
        run_folder, run = _require_out(folders[name]), replace(options, budget=_remaining(budget, results))
        with spend_bar(f"judging {name}", quiet=as_json) as progress:
            results[name] = judge_suite(
                loaded, folder, create_judge(judge), run_folder, run, editor=name, progress=progress, **names
            )
        if results[name].stopped:
            break
    echo_results(results, paper_tables, by, form, published, as_json, human)
    report_problems(results, budget)


def ambiguity_command(
    suite: Path = typer.Argument(..., metavar="SUITE", help=SUITE_HELP),
    judge: list[str] = typer.Option(..., "--judge", "-j", help=JUDGE_HELP + " Repeatable."),
    out: Out = None,
    dimensions: str = typer.Option(
        "target,operation,spatial,scope,conditional,linguistic",
        "--dimensions",
        "-d",
        help="Comma-separated dimensions.",
    ),
    repeat: Repeat = 1,
    budget: Budget = None,
    price: PriceOption = "",
    base_url: BaseUrl = "",
    key_variable: KeyVariable = "",
    prompts: Prompts = None,
    images: Images = "full",
    temperature: Temperature = "0",
    timeout: Timeout = 300,
    concurrency: Concurrency = 64,
    dry_run: DryRun = False,
    paper_tables: PaperTables = [],  # noqa: B006 (typer copies it)
    by: By = [],  # noqa: B006
    form: Form = "terminal",
    published: IsPublished = False,
    as_json: bool = typer.Option(False, "--json", help="Print the summaries as JSON."),
) -> None:
    """Grade the ambiguity of a suite's instructions with models: six dimensions, from 1 to 5.

    Example: `vde ambiguity SUITE --judge gpt-4o --judge gemini:gemini-2.5-pro --out runs/ambiguity`
    """
    from vdebench.net.prices import parse_price
    from vdebench.pipeline.judging.stage import JudgingOptions, estimate_run, judge_ambiguity, plan_ambiguity

    _check_table_options(paper_tables, by)
    loaded = open_suite(suite, quiet=as_json)
    parsed_price = parse_price(price) if price else None
    options = JudgingOptions(
        dimensions.split(","), repeat, prompts, images, budget, parsed_price, concurrency, canary=False
    )
    create_judge = _judge_factory(base_url, key_variable, temperature, timeout, concurrency, dry_run)
    judges = list(dict.fromkeys(judge))
    folders = {name: out / re.sub(r"[^\w.-]+", "_", name) if out and len(judges) > 1 else out for name in judges}
    if dry_run:
        plans = {name: plan_ambiguity(loaded, create_judge(name), options) for name in judges}
        echo_estimates({name: estimate_run(plan, folders[name]) for name, plan in plans.items()}, options, as_json)
        return
    results: dict[str, Any] = {}
    for name in judges:
        run_folder, run = _require_out(folders[name]), replace(options, budget=_remaining(budget, results))
        with spend_bar(f"asking {name}", quiet=as_json) as progress:
            results[name] = judge_ambiguity(loaded, create_judge(name), run_folder, run, progress=progress)
        if results[name].stopped:
            break
    echo_results(results, paper_tables, by, form, published, as_json)
    report_problems(results, budget)


def _editors(predictions: list[Path]) -> list[tuple[str, Path]]:
    """Return name and image folder of each editor."""
    arguments = [name_and_place(str(argument)) for argument in predictions]
    editors = [editor for name, folder in arguments for editor in _image_folders(name, folder)]
    require_distinct([name for name, _ in editors])
    return editors


def _image_folders(name: str, folder: Path) -> list[tuple[str, Path]]:
    """Return a folder of images, or the folders of images that the runs in it scored."""
    entries = list_folder(folder) if is_folder(folder) else []
    has_runs = is_run(folder) or "editors" in read_run_file(folder / RUN_FILE)
    if not has_runs and (RUN_FILE in entries or not any(is_run(folder / entry) for entry in entries)):
        return [(name or folder_name(folder), folder)]
    return [(name or editor, images) for editor, images in scored_images(folder).items()]


def _judge_factory(
    base_url: str, key_variable: str, temperature: str, timeout: float, connections: int, dry: bool
) -> Callable[[str], Any]:
    """Return a function that creates a judge by name: each run needs a new one."""
    from vdebench.judges.judge import get_judge

    return lambda name: get_judge(
        name,
        base_url=base_url,
        key_variable=key_variable,
        temperature=temperature,
        timeout=timeout,
        connections=connections,
        dry=dry,
    )


def _check_table_options(paper_tables: list[str], by: list[str]) -> None:
    from vdebench.report.paper_tables import require_shape
    from vdebench.stats.grades import SLICES

    for shape in paper_tables:
        require_shape(shape)
    for name in by:
        if name not in SLICES:
            raise VdeError(f"--by is {name!r}, expected one of {', '.join(SLICES)}")


def _require_out(out: Path | None) -> Path:
    if out is None:
        raise VdeError("no --out: give a folder for the answers; or --dry-run to ask nothing")
    return out


def _remaining(budget: float | None, results: dict[str, Any]) -> float | None:
    """Return the budget minus the cost of the results so far."""
    return None if budget is None else max(0.0, budget - spent(results))
