"""`vde score`: an editor's outputs against a suite."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import typer
from rich.console import Console

from vdebench.cli.editors import folder_name, name_and_place, require_distinct
from vdebench.cli.names import MATCH_HELP, STRICT_HELP
from vdebench.cli.printing import table_text
from vdebench.cli.progress import progress_bars
from vdebench.cli.read import reader_options
from vdebench.cli.suites import SUITE_HELP, open_suite
from vdebench.cli.table import INTERVALS_HELP, SHAPE_HELP, SIGNATURE, USABLE_HELP
from vdebench.core.input_policy import NOBODY, InputPolicy, checked_pixels
from vdebench.errors import VdeError
from vdebench.pipeline.evaluation import reads_images
from vdebench.pipeline.options import Execution, GroundTruthChoice, ScoreOptions, SettingChoice
from vdebench.pipeline.score import Score, check_outputs, score_with
from vdebench.protocols import protocol_of
from vdebench.readers.cached import CachedReader
from vdebench.readers.reader import DEFAULT as DEFAULT_READER
from vdebench.report.paper_tables import paper_table, require_shape
from vdebench.report.rendering import Format
from vdebench.report.table import Table
from vdebench.report.tracks import track_of
from vdebench.report.usable import usable_overview


def score_command(
    suite: Path = typer.Argument(..., metavar="SUITE", help=SUITE_HELP),
    predictions: list[Path] = typer.Argument(
        None, metavar="[PREDICTIONS]...", help="Folders of predicted images, one per editor; or of their readings."
    ),
    ocr_output: list[str] = typer.Option(
        [],
        "--ocr-output",
        metavar="[NAME=]DIR",
        help="OCR output of the predictions; repeat for more editors.",
    ),
    protocol: list[str] = typer.Option(
        ["strict"], "--protocol", "-p", help="How to score; repeat for several. `vde protocols` lists them."
    ),
    setting: SettingChoice = typer.Option("both", "--setting", help="global (page), local (edited regions) or both."),
    out: Path | None = typer.Option(None, "--out", "-o", metavar="RUN", help="Folder in which the run is kept."),
    by: list[str] = typer.Option(
        [], "--by", help="Also break down by this, or by two crossed: `edit_class,language`. Shown as tables."
    ),
    reader: str = typer.Option(
        "",
        "--reader",
        help="Who reads images (rapidocr; `vde doctor` lists all; `none`: around masks, pixels alone); or who made"
        " ready readings: name@version.",
    ),
    option: list[str] = typer.Option([], "--reader-option", metavar="NAME=VALUE", help="An option of the reader."),
    ground_truth: GroundTruthChoice = typer.Option(
        "suite", "--ground-truth", help="suite: its text where it has any; ocr: the reader reads the reference images."
    ),
    metrics: str = typer.Option(
        "",
        "--metrics",
        help="Image metrics, with commas, or `none`; `vde doctor` lists them. The papers': psnr,ssim,lpips,clip.",
    ),
    match: str = typer.Option("", "--match", metavar="PATTERN", help=MATCH_HELP),
    strict_names: bool = typer.Option(False, "--strict-names", help=STRICT_HELP),
    ceiling: Path | None = typer.Option(
        None,
        "--ceiling",
        metavar="DIR",
        help="With --ocr-output: OCR output of the reference images by the same reader.",
    ),
    max_pixels: int = typer.Option(
        0, "--max-pixels", help="Say that the editor was given pages of at most so many pixels; for the signature."
    ),
    rewriter: str = typer.Option(
        NOBODY, "--prompt-rewriter", metavar="NAME", help="Say who rewrote the instructions; for the signature."
    ),
    workers: int = typer.Option(0, "--workers", help="Processes that read and score; 0 for one per processor."),
    like: list[str] = typer.Option([], "--paper-table", help=SHAPE_HELP + " Repeat for several."),
    form: Format = typer.Option("terminal", "--format", help="terminal, markdown, csv or latex."),
    published: bool = typer.Option(
        False,
        "--published",
        help="Add the paper's rows, marked as published; --paper-table vde-v3:2 where no shape is given.",
    ),
    with_usable: bool = typer.Option(False, "--with-usable", help=USABLE_HELP),
    intervals: bool = typer.Option(False, "--intervals", help=INTERVALS_HELP),
    short: bool = SIGNATURE,
    as_json: bool = typer.Option(False, "--json", help="Print the summary as JSON."),
) -> None:
    """Score one or more editors' outputs; exit code 2 where samples could not be scored.

    Examples:

    `vde score typeset:n=20,seed=1 outputs/ --out runs/mine`

    `vde score typeset:n=20,seed=1 outputs/ --match '{stem}_edited.*'`

    `vde score examples/tiny --ocr-output examples/tiny/editors/careful`

    `vde score SUITE --ocr-output mine=out/ocr -p strict -p vde-v3 -p vde-release --out runs/mine --by language`
    """
    editors = _editors(predictions or [], ocr_output)
    like = like or (["vde-v3:2"] if published else [])
    for shape in like:
        require_shape(shape)
    loaded = open_suite(suite, quiet=as_json)
    measured = [name.strip() for name in metrics.split(",") if name.strip() != "none"] if metrics else None
    several = len(editors) > 1, len(protocol) > 1
    reading_with = reader_options(option)
    options = ScoreOptions(
        setting=setting,
        match=match,
        strict_names=strict_names,
        ground_truth=ground_truth,
        metrics=measured,
        ceiling=ceiling,
        crossed=by,
        input_policy=InputPolicy(checked_pixels(max_pixels), rewriter),
    )
    for name in dict.fromkeys(protocol):  # file names of all editors, before any image is read
        for _, folder, images in editors:
            check_outputs(loaded, folder, replace(options, protocol=name, images=images))
    read = {
        folder
        for name in protocol
        for _, folder, images in editors
        if reads_images(loaded, folder, replace(options, protocol=name, images=images, reader=reader))
    }
    chosen = CachedReader.named(reader or DEFAULT_READER, reading_with) if read else None
    results: dict[str, list[Score]] = {}
    for name in dict.fromkeys(protocol):
        for editor, folder, images in editors:
            parts = [part for part, many in zip((editor, name), several, strict=True) if many]
            with progress_bars(quiet=as_json) as bar:
                used = chosen if chosen and folder in read else reader
                how = replace(options, protocol=name, editor=editor, reader=used, images=images)
                reading, scoring = bar(f"{editor}: reading"), bar(f"{editor} by {name}")
                execution = Execution(workers=workers, reading=reading, scoring=scoring)
                result = score_with(how, loaded, folder, out.joinpath(*parts) if out else None, execution)
            results.setdefault(name, []).append(result)
    if as_json:
        summaries = [result.summary for group in results.values() for result in group]
        found: Any = summaries[0] if len(summaries) == 1 else {"runs": summaries}
        typer.echo(json.dumps(found, ensure_ascii=False, indent=2, allow_nan=False))
    else:
        for table in _tables(results, by, like, published, with_usable):
            typer.echo(table_text(table, form, intervals=intervals, full_signature=not short))
    failures = [failure for group in results.values() for result in group for failure in result.failures]
    if failures:
        tell_failures(failures)
        raise typer.Exit(2)


def _editors(predictions: list[Path], ocr_output: list[str]) -> list[tuple[str, Path, Path | None]]:
    """Name, folder of OCR output and folder of images of each editor."""
    if not predictions and not ocr_output:
        raise VdeError("nothing to score: give a folder of predicted images, or --ocr-output DIR")
    if ocr_output and predictions and len(ocr_output) != len(predictions):
        raise VdeError(
            f"{len(predictions)} folders of predictions and {len(ocr_output)} of OCR output: expected one for one"
        )
    images: list[Path | None] = (
        [*predictions] if ocr_output and predictions else [None] * max(len(ocr_output), len(predictions))
    )
    editors = []
    for given, pictures in zip(ocr_output or map(str, predictions), images, strict=True):
        name, place = name_and_place(given)
        editors.append((name or folder_name(pictures or place), place, pictures))
    require_distinct([name for name, _, _ in editors])
    return editors


def _tables(
    results: dict[str, list[Score]], by: list[str], like: list[str], published: bool, with_usable: bool
) -> Iterator[Table]:
    for group in results.values():
        summaries = [result.summary for result in group]
        track, protocol = track_of(summaries[0]), protocol_of(summaries[0])
        if not like:
            if judged := usable_overview(summaries):
                yield judged
            yield track.table(summaries)
        for shape in like:
            yield paper_table(shape, summaries, published=published, with_usable=with_usable)
        for summary in summaries:
            for name in by or (protocol.main_slices if len(summaries) == 1 and not like else []):
                yield track.breakdown(summary, ",".join(part.strip() for part in name.split(",")))


def tell_failures(failures: list[tuple[str, str]], most: int = 20) -> None:
    """Say on standard error what could not be scored and why."""
    console = Console(stderr=True, highlight=False, soft_wrap=True)
    unique = list(dict.fromkeys(failures))
    for sample, reason in unique[:most]:
        console.print(f"vde: {sample}: {reason.removeprefix(f'sample {sample}: ')}", markup=False)
    more = f" (and {len(unique) - most} more)" if len(unique) > most else ""
    console.print(
        f"vde: {len(unique)} samples could not be scored and are excluded from means{more}; fix the files and run the"
        " command again: only these samples are scored again",
        markup=False,
    )
