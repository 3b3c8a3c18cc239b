"""Scoring of output corruptions: every one on every sample, read by a reader and judged as an editor's output is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

from vdebench._version import __version__
from vdebench.changes.identity import CHANGES
from vdebench.core.images import Image
from vdebench.core.page_text import PageText
from vdebench.core.png import encode_png
from vdebench.errors import InputError
from vdebench.io.cache import digest_of
from vdebench.io.files import write_bytes
from vdebench.io.locations import cache_folder
from vdebench.metrics.edit_traces import IDENTITY as TRACES
from vdebench.metrics.image_metrics import require_known
from vdebench.parallel.local import map_tasks, usable_processors
from vdebench.pipeline.options import Progress
from vdebench.pipeline.scoring.image_metrics import ImageMetrics
from vdebench.protocols import PROTOCOLS, get_protocol
from vdebench.readers.cached import CachedReader
from vdebench.readers.reader import DEFAULT as DEFAULT_READER
from vdebench.studies.validity.export import EXACT_LAYOUT, PartialSuite
from vdebench.studies.validity.findings import USABLE, usable_signature, verdict_row, verdicts_of
from vdebench.studies.validity.outputs.after import NOTHING, LastStep, parse_last_step
from vdebench.studies.validity.outputs.catalog import get_output_corruptions
from vdebench.studies.validity.outputs.results import (
    JUDGEABLE,
    PAGE,
    ErrorRate,
    OutputResult,
    error_rates,
    result_of,
)
from vdebench.studies.validity.row_store import CollectedRows, LadderRows, Tables
from vdebench.studies.validity.scoring import LadderScorer, temporary_cache
from vdebench.studies.validity.subject import (
    CorruptedPage,
    CorruptionWorkspace,
    LadderSample,
    cached_typesetter,
    ladder_samples,
    ladder_samples_on,
    typeset_suite,
)
from vdebench.suites.names import names_of
from vdebench.suites.suite import Suite, load_suite
from vdebench.suites.typeset.recipe import provenance
from vdebench.suites.typeset.suite import TypesetSuite

SAMPLES = 12
METRICS = ("psnr", "ssim")
REFERENCE = "reference"
"""Name of the corruption in rows of level 0."""
OPERATIONS = "text_replace+text_insert+text_delete+table_replace+table_insert+table_delete+table_structure"
"""Edits that change text: whether another edit was made well cannot be told from the changes alone."""


class OutputTask(NamedTuple):
    """A sample of a suite, its corruptions, and scoring options."""

    order: str
    number: int
    corruptions: tuple[str, ...]
    protocols: tuple[str, ...]
    reader: str
    metrics: tuple[str, ...]
    seed: int
    after: LastStep
    images: Path | None


@dataclass(frozen=True)
class OutputStudy:
    """All results, their provenance, and the rows behind them.

    `rows` contains the tables `scores`, `regions` and `usable` with the columns protocol, corruption and level added.
    Level 0 is the reference without a last step, level 1 the output.
    """

    about: Mapping[str, Any]
    results: Sequence[OutputResult]
    errors: Sequence[ErrorRate]
    rows: Mapping[str, pl.DataFrame]


def output_order(samples: int, seed: int, ppi: int = 150) -> str:
    """The suite of a study: English and Chinese pages with edits of text and tables."""
    return f"typeset:n={samples},seed={seed},languages=en+zh,operations={OPERATIONS},ppi={ppi}"


def run_outputs(
    *,
    samples: int = SAMPLES,
    seed: int = 1,
    protocols: Sequence[str] = (),
    corruptions: Sequence[str] = (),
    after: str | LastStep = NOTHING,
    reader: str = DEFAULT_READER,
    metrics: Sequence[str] = METRICS,
    order: str = "",
    images: Path | None = None,
    workers: int = 0,
    cache: Path | None = None,
    progress: Progress | None = None,
) -> OutputStudy:
    """Make outputs from typeset samples, read and judge them, and compare the verdicts with what a person says.

    `after` is what happens to every output last; `order` is another generated suite; `images` is a folder in which the
    outputs are kept, as `<corruption>/<name>.png`. `cache` is a folder for finished samples, so that the same call can
    be resumed; OCR and changes are kept in vdebench's cache besides.
    """
    chosen = get_output_corruptions(corruptions)
    names = tuple(dict.fromkeys(protocols)) or tuple(PROTOCOLS)
    if not any(get_protocol(name).properties for name in names):
        raise InputError(f"usable edits are judged only by strict, not by {', '.join(names)}")
    require_known(metrics)
    if reader == EXACT_LAYOUT:
        raise InputError("output corruptions need a reader: their exact layout is not known; use --reader rapidocr")
    label = CachedReader.named(reader).label  # raises now if the reader is not installed
    last = parse_last_step(after) if isinstance(after, str) else after
    suite = typeset_suite(load_suite(order or output_order(samples, seed)))
    suite.prepare()
    corruption_names = tuple(corruption.name for corruption in chosen)
    options = corruption_names, names, reader, tuple(metrics), seed, last, images
    tasks = [OutputTask(suite.name, number, *options) for number in range(suite.n)]
    row_cache = LadderRows(cache, _key(tasks[0], label))
    parts = {task.number: tables for task in tasks if (tables := row_cache.find(task.number))}
    remaining = [task for task in tasks if task.number not in parts]
    for number, tables in map_tasks(_score_sample, remaining, min(workers or usable_processors(), len(tasks))):
        row_cache.add(number, tables)
        parts[number] = tables
        if progress:
            progress(len(parts), len(tasks))
    rows = {name: pl.concat([parts[number][name] for number in sorted(parts)]) for name in ("scores", "regions")}
    applicable = [corruption for corruption in chosen if corruption.name in set(rows["scores"]["corruption"])]
    if not applicable:
        raise InputError(f"{suite.name}: none of the corruptions applies to any sample; use more samples")
    rows[USABLE] = _judged(rows, suite)
    about = {
        "vdebench": __version__,
        "suite": suite.name,
        "samples": len(suite.samples),
        "seed": seed,
        "reader": label,
        "after": last.name,
        "metrics": list(metrics),
        "unavailable": ImageMetrics(metrics).unavailable,
        "usable_signature": usable_signature(rows),
        "failed": rows["scores"].filter(pl.col("state") == "failed").height,
        "left_out": [corruption.name for corruption in chosen if corruption not in applicable],
    }
    results = [result_of(corruption, rows) for corruption in applicable]
    row_cache.clear()
    return OutputStudy(about, results, error_rates(applicable, rows[USABLE]), rows)


def write_outputs(
    suite: Suite | str, corruption: str, folder: str | Path, *, after: str | LastStep = NOTHING, seed: int = 1
) -> PartialSuite:
    """Write the outputs of a corruption as `<name>.png`; return the samples that it applies to as a suite.

    `score(part, folder, reader="rapidocr")` scores them.
    """
    full_suite = typeset_suite(suite if isinstance(suite, Suite) else load_suite(suite))
    (chosen,) = get_output_corruptions([corruption])
    last = parse_last_step(after) if isinstance(after, str) else after
    full_suite.prepare()
    keys = []
    for subject in ladder_samples(full_suite):
        with CorruptionWorkspace(subject, cached_typesetter(full_suite.recipe.ppi), seed) as workspace:
            image = chosen.make(workspace)
        if image is not None:
            write_bytes(Path(folder) / f"{names_of(subject.sample)[0]}.png", encode_png(last(image)))
            keys.append(subject.sample.key)
    if not keys:
        raise InputError(f"{full_suite.name}: {chosen.name} applies to none of its samples; use more samples")
    return PartialSuite(full_suite, keys)


def _key(task: OutputTask, reader: str) -> str:
    """Digest of everything that changes the rows, and of the folder of the images, which finished samples are in."""
    options = task.order, task.corruptions, task.protocols, task.metrics, task.seed
    images = "" if task.images is None else str(task.images.absolute())
    versions = __version__, CHANGES, TRACES, reader, task.after.name, task.after.identity
    return digest_of(*versions, repr(options), repr(provenance()), images)


def _judged(rows: Mapping[str, pl.DataFrame], suite: TypesetSuite) -> pl.DataFrame:
    """The verdict on every output."""
    pages = {sample.key: str(int(sample.id) // suite.recipe.per_page) for sample in suite.samples}
    return pl.DataFrame(
        [
            {**verdict_row(key, verdict), JUDGEABLE: verdict.judgeable, PAGE: pages[verdict.sample]}
            for key, verdict in verdicts_of(rows)
            if key[1] != REFERENCE
        ],
        infer_schema_length=None,
    )


def _score_sample(task: OutputTask) -> tuple[int, Tables]:
    """Score all outputs of a sample."""
    # OCR output and changes are cached, but the metrics of these temporary pages are not
    reader = CachedReader.named(task.reader, root=cache_folder())
    suite = typeset_suite(load_suite(task.order))
    protocols = [get_protocol(name) for name in task.protocols]
    page, index = divmod(task.number, suite.recipe.per_page)
    subject = ladder_samples_on(suite, page)[index]
    rows = CollectedRows()
    with temporary_cache(), CorruptionWorkspace(subject, cached_typesetter(suite.recipe.ppi), task.seed) as workspace:
        scorers = {
            level: LadderScorer(suite, protocols, ImageMetrics(task.metrics), reader, usable=level > 0)
            for level in (0, 1)
        }
        for name, level, image in _images(task, subject, workspace):
            corrupted = CorruptedPage(image, PageText(), ())  # the reader reads the image
            for protocol, row in scorers[level].rows(subject.sample, corrupted, workspace.reference.image):
                rows.add(subject.sample, protocol.name, name, level, row)
    return task.number, rows.tables()


def _images(
    task: OutputTask, subject: LadderSample, workspace: CorruptionWorkspace
) -> Iterator[tuple[str, int, Image]]:
    """Yield corruption, level and image, the reference first."""
    yield REFERENCE, 0, workspace.reference.image
    for corruption in get_output_corruptions(task.corruptions):
        made = corruption.make(workspace)
        if made is None:
            continue
        image = task.after(made)
        if task.images is not None:
            write_bytes(task.images / corruption.name / f"{names_of(subject.sample)[0]}.png", encode_png(image))
        yield corruption.name, 1, image
