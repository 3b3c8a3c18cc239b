"""`vde judge` and `vde ambiguity`: grades by multimodal models."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from vdebench.cli.editors import folder_name, name_and_place, require_distinct
from vdebench.cli.judge_show import end, show, spend_bar, spent, tell_estimates
from vdebench.cli.names import MATCH_HELP, STRICT_HELP
from vdebench.cli.suites import SUITE_HELP, open_suite
from vdebench.errors import VdeError
from vdebench.io.files import is_folder, list_folder
from vdebench.pipeline.output_record import scored_images
from vdebench.report.grades import GRADED
from vdebench.report.rendering import Format
from vdebench.runs.provenance import RUN_FILE, read_run_file
from vdebench.runs.search import is_run

# What both commands take.
Out = Annotated[
    Path | None,
    typer.Option("--out", "-o", metavar="RUN", help="Folder in which the run is kept; the same command goes on there."),
]
Repeat = Annotated[int, typer.Option("--repeat", min=1, help="Times that each question is asked; all draws are kept.")]
Budget = Annotated[
    float | None, typer.Option("--budget", help="Dollars that all of it may cost; what is left is not asked.")
]
PriceOption = Annotated[
    str,
    typer.Option("--price", metavar="IN,OUT", help="Dollars per million tokens, where our table has none or another."),
]
BaseUrl = Annotated[
    str, typer.Option("--base-url", metavar="URL", help="An OpenAI-compatible server: http://host:8000/v1.")
]
KeyVariable = Annotated[
    str,
    typer.Option(
        "--key-variable",
        metavar="NAME",
        help="Environment variable with the key; OPENAI_API_KEY, GEMINI_API_KEY, ANTHROPIC_API_KEY by themselves.",
    ),
]
Prompts = Annotated[
    Path | None, typer.Option("--prompts", metavar="DIR", help="Folder of prompts in place of ours of the same name.")
]
Images = Annotated[
    str,
    typer.Option("--image-size", metavar="full|PIXELS", help="Longest side of the images sent; full: unscaled."),
]
Temperature = Annotated[str, typer.Option("--temperature", help="Or `default`, for models that take no other.")]
Timeout = Annotated[float, typer.Option("--timeout", help="Seconds for one answer.")]
Concurrency = Annotated[int, typer.Option("--concurrency", min=1, help="Most requests at once; it adapts below that.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Say what would be asked and what it would cost; ask nothing.")]
Like = Annotated[
    list[str],
    typer.Option("--paper-table", help=f"Shape of a paper's table: {', '.join(GRADED)}. Repeat for several."),
]
By = Annotated[list[str], typer.Option("--by", help="Break down by group, operation, source, tier or language.")]
Form = Annotated[Format, typer.Option("--format", help="terminal, markdown, csv or latex.")]
IsPublished = Annotated[bool, typer.Option("--published", help="Add the paper's rows, marked as published.")]
JUDGE_HELP = "Model that grades: gpt-4o, or any behind --base-url; gemini:MODEL; anthropic:MODEL."


def judge_command(
    suite: Path = typer.Argument(..., metavar="SUITE", help=SUITE_HELP),
    predictions: list[Path] = typer.Argument(
        ..., metavar="PREDICTIONS...", help="Folders of images, one per editor; or the runs that scored them."
    ),
    judge: str = typer.Option(..., "--judge", "-j", help=JUDGE_HELP),
    out: Out = None,
    match: str = typer.Option("", "--match", metavar="PATTERN", help=MATCH_HELP),
    strict_names: bool = typer.Option(False, "--strict-names", help=STRICT_HELP),
    dimensions: str = typer.Option("IF,TA,VC,LP,SE", "--dimensions", "-d", help="What is graded, with commas."),
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
    human: Path | None = typer.Option(None, "--human", metavar="CSV", help="Scores by people: sample,dimension,score."),
    like: Like = [],  # noqa: B006 (typer copies it)
    by: By = [],  # noqa: B006
    form: Form = "terminal",
    published: IsPublished = False,
    as_json: bool = typer.Option(False, "--json", help="Print the summary as JSON."),
) -> None:
    """Have a multimodal model grade editors' outputs; stop it anywhere and run it again: nothing is asked twice.

    Example: `vde judge SUITE outputs/ --judge gpt-4o --repeat 3 --budget 5.00 --out runs/judged`
    """
    from vdebench.net.prices import parse_price
    from vdebench.pipeline.judging.stage import JudgingOptions, estimate_run, judge_suite, judged_outputs, plan_suite

    editors = _editors(predictions)
    _require_shapes(like, by)
    loaded = open_suite(suite, quiet=as_json)
    asked = JudgingOptions(
        dimensions.split(","),
        repeat,
        prompts,
        images,
        budget,
        parse_price(price) if price else None,
        concurrency,
    )
    maker = _maker(base_url, key_variable, temperature, timeout, concurrency, dry_run)
    folders = {name: out / name if out and len(editors) > 1 else out for name, _ in editors}
    for _, folder in editors:  # names of all editors' files, before the first is paid for
        judged_outputs(loaded, folder, match, strict_names=strict_names)
    names: dict[str, Any] = {"match": match, "strict_names": strict_names}
    if dry_run:
        plans = {name: plan_suite(loaded, folder, maker(judge), asked, **names) for name, folder in editors}
        tell_estimates({name: estimate_run(plan, folders[name]) for name, plan in plans.items()}, asked, as_json)
        return
    results: dict[str, Any] = {}
    for name, folder in editors:
        with spend_bar(f"judging {name}", quiet=as_json) as told:
            run = replace(asked, budget=_left(asked.budget, results))
            results[name] = judge_suite(
                loaded, folder, maker(judge), _given(folders[name]), run, editor=name, told=told, **names
            )
        if results[name].stopped:
            break
    show(results, like, by, form, published, as_json, human)
    end(results, budget)


def ambiguity_command(
    suite: Path = typer.Argument(..., metavar="SUITE", help=SUITE_HELP),
    judge: list[str] = typer.Option(..., "--judge", "-j", help=JUDGE_HELP + " Repeat for several."),
    out: Out = None,
    dimensions: str = typer.Option(
        "target,operation,spatial,scope,conditional,linguistic", "--dimensions", "-d", help="What is graded."
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
    like: Like = [],  # noqa: B006 (typer copies it)
    by: By = [],  # noqa: B006
    form: Form = "terminal",
    published: IsPublished = False,
    as_json: bool = typer.Option(False, "--json", help="Print the summaries as JSON."),
) -> None:
    """Have models grade how ambiguous a suite's instructions are, from 1 to 5, in six ways.

    Example: `vde ambiguity SUITE --judge gpt-4o --judge gemini:gemini-2.5-pro --out runs/ambiguity`
    """
    from vdebench.net.prices import parse_price
    from vdebench.pipeline.judging.stage import JudgingOptions, estimate_run, judge_ambiguity, plan_ambiguity

    _require_shapes(like, by)
    loaded = open_suite(suite, quiet=as_json)
    asked = JudgingOptions(
        dimensions.split(","),
        repeat,
        prompts,
        images,
        budget,
        parse_price(price) if price else None,
        concurrency,
        canary=False,
    )
    maker = _maker(base_url, key_variable, temperature, timeout, concurrency, dry_run)
    judges = list(dict.fromkeys(judge))
    folders = {name: out / re.sub(r"[^\w.-]+", "_", name) if out and len(judges) > 1 else out for name in judges}
    if dry_run:
        plans = {name: plan_ambiguity(loaded, maker(name), asked) for name in judges}
        tell_estimates({name: estimate_run(plan, folders[name]) for name, plan in plans.items()}, asked, as_json)
        return
    results: dict[str, Any] = {}
    for name in judges:
        with spend_bar(f"asking {name}", quiet=as_json) as told:
            run = replace(asked, budget=_left(asked.budget, results))
            results[name] = judge_ambiguity(loaded, maker(name), _given(folders[name]), run, told=told)
        if results[name].stopped:
            break
    show(results, like, by, form, published, as_json)
    end(results, budget)


def _editors(predictions: list[Path]) -> list[tuple[str, Path]]:
    """Name and folder of each editor."""
    given = [name_and_place(str(each)) for each in predictions]
    found = [each for name, folder in given for each in _images_of(name, folder)]
    require_distinct([name for name, _ in found])
    return found


def _images_of(name: str, folder: Path) -> list[tuple[str, Path]]:
    """A folder of images, or the images that the runs in a folder scored."""
    inside = list_folder(folder) if is_folder(folder) else []
    of_runs = is_run(folder) or "editors" in read_run_file(folder / RUN_FILE)
    if not of_runs and (RUN_FILE in inside or not any(is_run(folder / each) for each in inside)):
        return [(name or folder_name(folder), folder)]
    return [(name or editor, images) for editor, images in scored_images(folder).items()]


def _maker(
    base_url: str, key_variable: str, temperature: str, timeout: float, connections: int, dry: bool
) -> Callable[[str], Any]:
    """What makes a judge of its name: each run has one of its own."""
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


def _require_shapes(like: list[str], by: list[str]) -> None:
    from vdebench.report.paper_tables import require_shape
    from vdebench.stats.grades import SLICES

    for shape in like:
        require_shape(shape)
    for name in by:
        if name not in SLICES:
            raise VdeError(f"--by is {name!r}, expected one of {', '.join(SLICES)}")


def _given(out: Path | None) -> Path:
    if out is None:
        raise VdeError("no --out: give a folder in which answers are kept as they come; or --dry-run to ask nothing")
    return out


def _left(budget: float | None, results: dict[str, Any]) -> float | None:
    """What earlier runs of the command have left of the budget."""
    return None if budget is None else max(0.0, budget - spent(results))
