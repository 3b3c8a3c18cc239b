"""The usable verdict on realistic outputs, beside what a careful person says of them.

python benchmarks/verdicts.py [--samples 14] [--seed 5 6 …] [--ppi 150] [--corruptions "digit elsewhere" …] [--list]
    [--after none] [--reader rapidocr] [--out FOLDER] [--workers 2]

The outputs are those of `vde validate-metrics --outputs`: made from the samples of typeset suites, one for each seed,
read by a reader and judged by `strict`. A row shows the accepted outputs / those that were judged, with the unknown
ones and the properties that fail first; samples that no editor can be judged on are left out. False accepts are usable
outputs that a person calls bad, false rejects unusable ones that are ok; outputs that are minor or arguable count in
neither.

`--after` is what happens to every output last: none, resize, resize:MEGAPIXELS, autoencoder:WEIGHTS, or the name of a
page transformation, such as `autoencoder1mp` (TAEF2, from `shared/data/autoencoder`). `--out` keeps images
(`SEED/images/<corruption>/`), `validity.json` and the rows of each seed. OCR and changes are cached: an interrupted
call continues where it was.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

import polars as pl
from page_transformations import TRANSFORMATIONS, PageStep

from vdebench.errors import VdeError
from vdebench.report.output_validity import error_line
from vdebench.report.validity_page import write_output_study
from vdebench.studies.validity.findings import USABLE
from vdebench.studies.validity.outputs.after import NOTHING, LastStep, parse_last_step
from vdebench.studies.validity.outputs.catalog import OutputCorruption, get_output_corruption, get_output_corruptions
from vdebench.studies.validity.outputs.results import PAGE, OutputResult, error_rates
from vdebench.studies.validity.outputs.study import OutputStudy, output_order, run_outputs


def main() -> None:
    """Judge the outputs of every seed and print the table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--samples", type=int, default=14, help="of each seed")
    parser.add_argument("--seed", type=int, nargs="+", default=[5], help="of the typeset suite; one or more")
    parser.add_argument("--ppi", type=int, default=150)
    parser.add_argument("--corruptions", nargs="+", default=[], metavar="NAME", help="names or titles; default: all")
    parser.add_argument("--after", type=last_step, default=NOTHING, help="what happens to every output last")
    parser.add_argument("--reader", default="rapidocr")
    parser.add_argument("--list", action="store_true", help="print every false accept and false reject")
    parser.add_argument("--out", type=Path, help="folder for images, results and rows; by default they are not kept")
    parser.add_argument("--workers", type=int, default=1)
    options = parser.parse_args()
    corruptions = get_output_corruptions(options.corruptions)
    studies = {seed: judge_outputs(seed, corruptions, options) for seed in options.seed}
    show_table(corruptions, list(studies.values()))
    show_errors(corruptions, studies, options.list)


def last_step(text: str) -> LastStep:
    """Parse `--after`: as in `vde validate-metrics`, or the name of a page transformation."""
    try:
        return PageStep(text) if text in TRANSFORMATIONS else parse_last_step(text)
    except VdeError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def judge_outputs(seed: int, corruptions: Sequence[OutputCorruption], options: argparse.Namespace) -> OutputStudy:
    """Make and judge the outputs of a seed."""
    folder = options.out / str(seed) if options.out else None
    study = run_outputs(
        seed=0,
        protocols=["strict"],
        corruptions=[corruption.name for corruption in corruptions],
        after=options.after,
        reader=options.reader,
        metrics=["psnr"],
        order=output_order(options.samples, seed, options.ppi),
        images=folder / "images" if folder else None,
        workers=options.workers,
        progress=lambda done, total: print(f"seed {seed}: {done} of {total} samples", file=sys.stderr, flush=True),
    )
    if folder:
        write_output_study(study, folder / "results")
    return study


def show_table(corruptions: Sequence[OutputCorruption], studies: Sequence[OutputStudy]) -> None:
    """Print for each corruption the accepted outputs, and which properties fail first."""
    print(f"{'output':28}{'a person':>10}{'accepted':>12}{'unknown':>9}   first failed property")
    for corruption in corruptions:
        results = [each for study in studies for each in study.results if each.corruption == corruption.name]
        print(row_of(corruption, results))


def row_of(corruption: OutputCorruption, results: Sequence[OutputResult]) -> str:
    """The row of a corruption, over all seeds."""
    accepted = sum(each.accepted for each in results)
    judged = accepted + sum(each.rejected for each in results)
    unknown = sum(each.unknown for each in results)
    failed = sum((Counter(each.fails_at) for each in results), Counter[str]())
    reasons = ", ".join(f"{count} {reason}" for reason, count in failed.most_common())
    row = f"{corruption.title:28}{corruption.opinion:>10}{f'{accepted}/{judged}':>12}{unknown or '':>9}   {reasons}"
    return row.rstrip()


def show_errors(corruptions: Sequence[OutputCorruption], studies: Mapping[int, OutputStudy], listed: bool) -> None:
    """Print the numbers of false accepts and false rejects, and each of them if asked."""
    rows = [
        study.rows[USABLE].with_columns(pl.format("{}/{}", pl.lit(seed), pl.col(name)).alias(name) for name in _SEEDED)
        for seed, study in studies.items()
    ]
    for error in error_rates(corruptions, pl.concat(rows, how="vertical_relaxed")):
        print(error_line(error))
        for each in error.samples if listed else ():
            title = get_output_corruption(each["corruption"]).title
            print(f"  {title}: sample {each['sample']} {each['fails_at']} {each['evidence']}".rstrip())


_SEEDED = ("sample", PAGE)
"""Columns that are distinct only within a seed."""


if __name__ == "__main__":
    main()
