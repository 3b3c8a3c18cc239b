"""Output of `vde judge` and `vde ambiguity`: estimates, a progress bar with the cost, tables, problems."""

from __future__ import annotations

import re
import shlex
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import typer
from rich.console import Console
from rich.progress import Progress as RichProgress

from vdebench.cli.printing import echo_json, table_text, warn
from vdebench.report.rendering import Format


def spent(results: dict[str, Any]) -> float:
    """Return the cost of some runs in dollars."""
    return sum(float(result.summary["spent"]["dollars"]) for result in results.values())


@contextmanager
def spend_bar(title: str, *, quiet: bool) -> Iterator[Callable[[int, int, float], None] | None]:
    """Yield the callback of a progress bar that shows the cost; None if there is no terminal."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    with RichProgress(console=Console(stderr=True), transient=True) as rich_progress:
        task = rich_progress.add_task(title)
        yield lambda done, total, spent: rich_progress.update(
            task, completed=done, total=total, description=f"{title}, ${spent:.2f} spent"
        )


def echo_estimates(estimates: dict[str, Any], options: Any, as_json: bool) -> None:
    """Print the number of questions and the estimated cost of each run."""
    from vdebench.net.prices import DATED
    from vdebench.net.tokens import ANSWER_TOKENS

    if as_json:
        echo_json({name: run.to_json() for name, run in estimates.items()})
        return
    for name, run in estimates.items():
        cost = "of unknown price (give --price IN,OUT)" if run.cost is None else f"about ${run.cost:.2f}"
        canary = f" ({run.canary:,} of them the canary's)" if run.canary else ""
        typer.echo(
            f"{name}: {run.calls:,} calls{canary}, {run.input_tokens:,} tokens in, {run.output_tokens:,} out: {cost}"
        )
        if run.kept or run.absent:
            typer.echo(f"  {run.kept:,} questions are answered already, {run.absent:,} cannot be asked (no output)")
        prices = "the price of --price" if options.price else f"prices of {DATED}"
        typer.echo(f"  estimated: images by {run.rule}, answers of {ANSWER_TOKENS} tokens, {prices}; nothing asked")
    costs = [run.cost for run in estimates.values() if run.cost is not None]
    if options.budget is not None and sum(costs) > options.budget:
        typer.echo(f"  more than the budget of ${options.budget:.2f}: the run would stop there")


def echo_results(
    results: dict[str, Any],
    paper_tables: list[str],
    by: list[str],
    form: Format,
    published: bool,
    as_json: bool,
    human: Path | None = None,
) -> None:
    """Print runs as tables, or as JSON."""
    from vdebench.report.grades import grades_breakdown, grades_table
    from vdebench.report.human.tables import scores_table
    from vdebench.report.paper_tables import paper_table

    summaries = [result.summary for result in results.values()]
    correlations = _human_correlations(results, human) if human else None
    if as_json:
        output: Any = summaries[0] if len(summaries) == 1 else {"runs": summaries}
        echo_json({**output, "human": correlations} if correlations else output)
        return
    tables = [paper_table(shape, summaries, published=published) for shape in paper_tables] or [grades_table(summaries)]
    tables += [grades_breakdown(summary, name) for summary in summaries for name in by]
    tables += [scores_table(correlations)] if correlations else []
    for table in tables:
        typer.echo(table_text(table, form))


def _human_correlations(results: dict[str, Any], human: Path) -> Any:
    """Return the correlation of grades with human scores."""
    import polars as pl

    from vdebench.report.grades import correlate

    rows = [result.rows.with_columns(pl.lit(name).alias("editor")) for name, result in results.items()]
    if len(rows) == 1:
        (editor,) = results
        return correlate(rows[0], human, editor)
    return correlate(pl.concat(rows), human)


def report_problems(results: dict[str, Any], budget: float | None) -> None:
    """Print failures and how to continue; exit with code 2 if there are any."""
    failures = [failure for result in results.values() for failure in result.failures]
    for question, reason in failures[:20]:
        warn(f"{question}: {reason}")
    if len(failures) > 20:
        warn(f"… and {len(failures) - 20} more")
    stopped = [result for result in results.values() if result.stopped]
    for result in stopped:
        remaining = int((result.rows["state"] == "not_asked").sum())
        message = f"stopped: {result.stopped}\n  {remaining} questions were not asked"
        if result.out_of_money and budget is not None:
            message += f"\n  ${spent(results):.2f} are spent; continue with:\n  {_command_with_budget(2 * budget)}"
        warn(message)
    if failures or stopped:
        if not (stopped and stopped[0].out_of_money):
            warn("run the same command again: only questions without a grade are asked again")
        raise typer.Exit(2)


def _command_with_budget(budget: float) -> str:
    """Return the current command line with another budget."""
    command = " ".join(shlex.quote(part) for part in sys.argv[1:])
    return "vde " + re.sub(r"--budget[= ]\S+", f"--budget {budget:.2f}", command)
