"""`vde suite`: get, show, check and export a suite; its statistics and difficulty."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from vdebench.cli.ambiguity import ambiguous_command
from vdebench.cli.build_stats import stats_command
from vdebench.cli.printing import echo_table
from vdebench.cli.progress import progress_bar
from vdebench.cli.suite_get import get_command
from vdebench.cli.suites import SUITE_HELP, open_suite
from vdebench.core.difficulty import ATTRIBUTES, TIERS
from vdebench.core.sample import Sample
from vdebench.report.table import Column, Row, Table
from vdebench.suites.export import FORMS, export_suite, require_exportable

if TYPE_CHECKING:
    from vdebench.studies.difficulty import AttributeAgreement, EstimatedDifficulty

SLICES: dict[str, dict[str, Callable[[Sample], str]]] = {
    "pages": {
        "operation": lambda sample: sample.operation.value,
        "language": lambda sample: sample.language,
        "source": lambda sample: sample.source,
    },
    "pixels": {
        "operation": lambda sample: sample.operation.value,
        "topic": lambda sample: sample.source,
        "tier": lambda sample: str(sample.extra.get("tier", "unknown")),
    },
}
"""Slices by the track of the suite."""
app = typer.Typer(help="Get, show, check and export a suite; its statistics and difficulty.", no_args_is_help=True)
app.command("get")(get_command)
app.command("stats")(stats_command)
app.command("ambiguous")(ambiguous_command)


@app.command()
def check(
    folder: Path = typer.Argument(..., metavar="SUITE", help=SUITE_HELP),
    as_json: bool = typer.Option(False, "--json", help="Print the faults as JSON."),
) -> None:
    """Report all faults by sample and file. Exit code 2 if there are errors, 0 if there are only warnings.

    Example: `vde suite check examples/tiny`
    """
    suite = open_suite(folder)
    faults = list(suite.faults())
    errors = sum(fault.severity == "error" for fault in faults)
    if as_json:
        typer.echo(json.dumps([fault._asdict() for fault in faults], ensure_ascii=False, indent=2))
    else:
        for fault in faults:
            where = " ".join(part for part in (fault.sample, fault.file) if part and part not in fault.what)
            typer.echo(f"{fault.severity}: {where + ': ' if where else ''}{fault.what}")
        typer.echo(f"{suite.name}: {len(suite)} samples, {errors} errors, {len(faults) - errors} warnings")
    if errors:
        raise typer.Exit(2)


@app.command()
def show(
    folder: Path = typer.Argument(..., metavar="SUITE", help=SUITE_HELP),
    as_json: bool = typer.Option(False, "--json", help="Print the counts as JSON."),
) -> None:
    """Count samples by operation, language and source (TextEditBench: operation, topic and tier).

    Example: `vde suite show examples/tiny`
    """
    suite = open_suite(folder)
    groups = [group.name for group in suite.groups]
    slices = SLICES[suite.track]
    if as_json:
        flat = {title: dict(Counter(map(value_of, suite))) for title, value_of in slices.items()}
        count = sum(not suite.has_reference(sample) for sample in suite)
        more: dict[str, object] = {"without_reference": count} if count else {}
        more |= {"left_out": suite.left_out} if suite.left_out else {}
        data = {"name": suite.name, "samples": len(suite), **flat, **more}
        typer.echo(json.dumps(data, ensure_ascii=False, indent=2))
        return
    rows = []
    for title, value_of in slices.items():
        counts = Counter((value_of(sample), sample.group) for sample in suite)
        for value in sorted({value for value, _ in counts}, key=_tiers_first):
            values = [counts[value, group] for group in groups]
            rows.append(Row(value, [*values, sum(values)], title))
    without = [sample for sample in suite if not suite.has_reference(sample)]
    for title, samples in (("without reference", without), ("all", suite.samples)):
        if samples:
            values = [sum(sample.group == group for sample in samples) for group in groups]
            rows.append(Row(title, [*values, len(samples)], "samples"))
    columns = [Column(name, "", 0) for name in [*groups, "all"]]
    notes = [f"left out: {key}: {reason}" for key, reason in suite.left_out.items()]
    table = Table(f"{suite.name} ({suite.root})", columns, rows, "", notes=notes)
    echo_table(table, more="--json")


def _tiers_first(value: str) -> tuple[int, str]:
    """Sort key: tiers from easy to hard, then all else alphabetically."""
    return next((position for position, tier in enumerate(TIERS) if tier == value), len(TIERS)), value


@app.command()
def difficulty(
    folder: Path = typer.Argument(..., metavar="SUITE", help=SUITE_HELP),
    reader: str = typer.Option(
        "", "--reader", help="OCR reader for the images of a suite without text; default: no OCR."
    ),
    as_json: bool = typer.Option(False, "--json", help="Print every sample's attributes as JSON."),
) -> None:
    """Show TextEditBench's difficulty attributes: as stated by the suite, and as estimated.

    Example: `vde suite difficulty examples/tiny`
    """
    from vdebench.readers.cached import CachedReader
    from vdebench.studies.difficulty import agreement_by_attribute, estimate_suite

    suite = open_suite(folder)
    read = CachedReader.named(reader).read_page if reader else None
    estimates = []
    with progress_bar(f"difficulty of {suite.name}", quiet=as_json) as progress:
        for estimate in estimate_suite(suite, read):
            estimates.append(estimate)
            if progress:
                progress(len(estimates), len(suite))
    agreements = agreement_by_attribute(estimates)
    if as_json:
        data = {
            "name": suite.name,
            "agreement": {name: agreement._asdict() for name, agreement in agreements.items()},
            "samples": [estimate.to_json() for estimate in estimates],
        }
        typer.echo(json.dumps(data, ensure_ascii=False, indent=2))
        return
    echo_table(_difficulty_table(suite.name, estimates, agreements), more="--json")


def _difficulty_table(
    name: str, estimates: Sequence[EstimatedDifficulty], agreements: Mapping[str, AttributeAgreement]
) -> Table:
    columns = [Column(str(value), "", 0, group) for group in ("stated", "estimated") for value in (0, 1, 2)]
    columns += [Column("n", "", 0, "agree")]
    columns += [Column(head, "", 3, group) for group in ("agree", "commonest") for head in ("equal", "±1")]
    rows = []
    for attribute in ATTRIBUTES:
        counts: list[float | None] = []
        for kind in ("stated", "estimated"):
            values = Counter(getattr(estimate, kind).get(attribute) for estimate in estimates)
            counts += [values[value] if values.keys() - {None} else None for value in (0, 1, 2)]
        agreement = agreements.get(attribute)
        rows.append(Row(attribute, [*counts, *(agreement or (None,) * 5)]))
    notes = [
        "agree: share of n samples with both values whose estimate is equal, or differs by at most one",
        "commonest: the same share if the estimate is always the most common value",
    ]
    notes += [f"{estimate.sample.key}: {estimate.failure}" for estimate in estimates if estimate.failure]
    return Table(f"difficulty of {name}: {len(estimates)} samples", columns, rows, "", notes=notes)


@app.command()
def export(
    folder: Path = typer.Argument(..., metavar="SUITE", help=SUITE_HELP),
    to: str = typer.Option(..., "--to", help=f"Format: {', '.join(FORMS)}."),
    out: Path = typer.Option(..., "--out", help="New folder."),
) -> None:
    """Export a suite with images and text for Hugging Face `datasets` or `webdataset`, or in the VDE layout.

    Example: `vde suite export typeset:n=60,seed=1 --to parquet --out typeset60`
    """
    require_exportable(to, out)
    suite = open_suite(folder)
    with progress_bar(f"{to} of {suite.name}") as progress:
        export_suite(suite, to, out, progress)
    typer.echo(f"{out}: {len(suite)} samples as {to}")
