"""What `vde judge` and `vde ambiguity` say: estimates, a bar with the spend, tables, and how to go on."""

from __future__ import annotations

import json
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

from vdebench.cli.printing import table_text
from vdebench.report.rendering import Format


def spent(results: dict[str, Any]) -> float:
    """Dollars that some runs have cost."""
    return sum(float(result.summary["spent"]["dollars"]) for result in results.values())


@contextmanager
def spend_bar(title: str, *, quiet: bool) -> Iterator[Callable[[int, int, float], None] | None]:
    """A bar with what was spent, where someone is looking."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    with RichProgress(console=Console(stderr=True), transient=True) as shown:
        task = shown.add_task(title)
        yield lambda done, total, spent: shown.update(
            task, completed=done, total=total, description=f"{title}, ${spent:.2f} spent"
        )


def tell_estimates(found: dict[str, Any], asked: Any, as_json: bool) -> None:
    """Say what would be asked and what it would cost."""
    from vdebench.net.prices import DATED
    from vdebench.net.tokens import ANSWER_TOKENS

    if as_json:
        typer.echo(json.dumps({name: each.to_json() for name, each in found.items()}, indent=2))
        return
    for name, each in found.items():
        cost = "of unknown price (give --price IN,OUT)" if each.cost is None else f"about ${each.cost:.2f}"
        canary = f" ({each.canary:,} of them the canary's)" if each.canary else ""
        typer.echo(
            f"{name}: {each.calls:,} calls{canary}, {each.input_tokens:,} tokens in, {each.output_tokens:,} out: {cost}"
        )
        if each.kept or each.absent:
            typer.echo(f"  {each.kept:,} questions are answered already, {each.absent:,} cannot be asked (no output)")
        prices = "the given price" if asked.price else f"prices of {DATED}"
        typer.echo(f"  estimated: images by {each.rule}, answers of {ANSWER_TOKENS} tokens, {prices}; nothing asked")
    known = [each.cost for each in found.values() if each.cost is not None]
    if asked.budget is not None and sum(known) > asked.budget:
        typer.echo(f"  more than the budget of ${asked.budget:.2f}: the run would stop there")


def show(
    results: dict[str, Any],
    like: list[str],
    by: list[str],
    form: Format,
    published: bool,
    as_json: bool,
    human: Path | None = None,
) -> None:
    """Show runs as tables, or as JSON."""
    from vdebench.report.grades import grades_breakdown, grades_table
    from vdebench.report.human.tables import scores_table
    from vdebench.report.paper_tables import paper_table

    summaries = [result.summary for result in results.values()]
    compared = _compared(results, human) if human else None
    if as_json:
        found: Any = summaries[0] if len(summaries) == 1 else {"runs": summaries}
        found = {**found, "human": compared} if compared else found
        typer.echo(json.dumps(found, ensure_ascii=False, indent=2, allow_nan=False))
        return
    tables = [paper_table(shape, summaries, published=published) for shape in like] or [grades_table(summaries)]
    tables += [grades_breakdown(summary, name) for summary in summaries for name in by]
    tables += [scores_table(compared)] if compared else []
    for table in tables:
        typer.echo(table_text(table, form))


def _compared(results: dict[str, Any], human: Path) -> Any:
    """Grades beside people's scores."""
    import polars as pl

    from vdebench.report.grades import correlate

    rows = [result.rows.with_columns(pl.lit(name).alias("editor")) for name, result in results.items()]
    if len(rows) == 1:
        (editor,) = results
        return correlate(rows[0], human, editor)
    return correlate(pl.concat(rows), human)


def end(results: dict[str, Any], budget: float | None) -> None:
    """Say what could not be graded and how to go on; exit code 2 where there is such."""
    console = Console(stderr=True, highlight=False, soft_wrap=True)
    failures = [failure for result in results.values() for failure in result.failures]
    for what, reason in failures[:20]:
        console.print(f"vde: {what}: {reason}", markup=False)
    if len(failures) > 20:
        console.print(f"vde: … and {len(failures) - 20} more", markup=False)
    stopped = [result for result in results.values() if result.stopped]
    for result in stopped:
        left = int((result.rows["state"] == "not_asked").sum())
        console.print(f"vde: stopped: {result.stopped}\n  {left} questions were not asked", markup=False)
        if result.out_of_money and budget is not None:
            console.print(f"  ${spent(results):.2f} are spent; go on with:\n  {_with_more(budget)}", markup=False)
    if failures or stopped:
        if not (stopped and stopped[0].out_of_money):
            console.print("vde: run the same command again: only what has no grade is asked anew", markup=False)
        raise typer.Exit(2)


def _with_more(budget: float) -> str:
    """The command that was given, with twice the budget."""
    given = " ".join(shlex.quote(part) for part in sys.argv[1:])
    return "vde " + re.sub(r"--budget[= ]\S+", f"--budget {2 * budget:.2f}", given)
