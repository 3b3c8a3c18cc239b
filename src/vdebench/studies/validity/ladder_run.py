"""Scoring a validity ladder: every corruption at every level, by every protocol."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

from vdebench._version import __version__
from vdebench.changes.identity import CHANGES
from vdebench.errors import InputError
from vdebench.io.cache import digest_of
from vdebench.io.locations import cache_folder
from vdebench.metrics.edit_traces import IDENTITY as TRACES
from vdebench.metrics.image_metrics import require_known
from vdebench.metrics.registry import facts
from vdebench.parallel.local import map_tasks, usable_processors
from vdebench.pipeline.options import Progress
from vdebench.pipeline.scoring.image_metrics import ImageMetrics
from vdebench.protocols import PROTOCOLS, get_protocol
from vdebench.readers.cached import CachedReader
from vdebench.studies.validity.corruption import Corruption
from vdebench.studies.validity.export import EXACT_LAYOUT
from vdebench.studies.validity.findings import findings_of, usable_rows, usable_signature
from vdebench.studies.validity.ladder import get_corruptions
from vdebench.studies.validity.row_store import LEVEL, CollectedRows, LadderRows, Tables
from vdebench.studies.validity.scoring import LadderScorer, temporary_cache
from vdebench.studies.validity.statistics import CorruptionResult
from vdebench.studies.validity.subject import (
    CorruptionWorkspace,
    LadderSample,
    cached_typesetter,
    ladder_samples_on,
    page_count,
    typeset_suite,
)
from vdebench.suites.suite import load_suite
from vdebench.suites.typeset.recipe import provenance

METRICS = ("psnr", "ssim")
PPI = 110
REFERENCE = "right"
"""Name of the corruption in rows of level 0, which all corruptions share."""


class LadderTask(NamedTuple):
    """A page of a suite, the corruptions of its samples, and scoring options."""

    order: str
    page: int
    corruptions: tuple[str, ...]
    protocols: tuple[str, ...]
    reader: str
    metrics: tuple[str, ...]
    seed: int
    usable: bool


@dataclass(frozen=True)
class Ladder:
    """All findings, their provenance, and the rows behind them.

    `rows` contains the tables `scores`, `regions` and `usable` with the columns protocol, corruption and level added;
    level 0 has the corruption `right`.
    """

    about: Mapping[str, Any]
    corruptions: Sequence[Corruption]
    findings: Sequence[CorruptionResult]
    rows: Mapping[str, pl.DataFrame]


def order_of(samples: int, seed: int) -> str:
    """The suite of a ladder; English and Chinese alternate, as do operations and kinds of pages."""
    return f"typeset:n={samples},seed={seed},languages=en+zh,ppi={PPI}"


def run_ladder(
    *,
    samples: int = 200,
    seed: int = 1,
    protocols: Sequence[str] = (),
    corruptions: Sequence[str] = (),
    reader: str = EXACT_LAYOUT,
    metrics: Sequence[str] = METRICS,
    usable: bool = False,
    order: str = "",
    workers: int = 0,
    cache: Path | None = None,
    progress: Progress | None = None,
) -> Ladder:
    """Corrupt, read and score pages, and test for every metric whether it falls with the level.

    `usable` adds verdicts on usable edits, which takes three times as long; `order` is another generated suite.
    `cache` is a folder for finished pages, so that the same call can be resumed.
    """
    chosen = get_corruptions(corruptions)
    names = tuple(dict.fromkeys(protocols)) or tuple(PROTOCOLS)
    for name in names:
        get_protocol(name)
    require_known(metrics)
    for name in metrics:
        if facts(name).kind == "image sets":
            raise InputError(f"{name} is a metric of sets of images, not of a page; leave it out")
    if usable and not any(get_protocol(name).properties for name in names):
        raise InputError(f"usable edits are judged only by strict, not by {', '.join(names)}")
    suite = typeset_suite(load_suite(order or order_of(samples, seed)))
    suite.prepare()
    label = reader if reader == EXACT_LAYOUT else CachedReader.named(reader).label  # raises now if it is not installed
    corruption_names = tuple(corruption.name for corruption in chosen)
    options = names, reader, tuple(metrics), seed, usable
    tasks = [LadderTask(suite.name, page, corruption_names, *options) for page in range(page_count(suite))]
    page_cache = LadderRows(cache, _key(tasks[0], label, chosen))
    parts = {page: tables_of_page for page in range(len(tasks)) if (tables_of_page := page_cache.find(page))}
    remaining = [task for task in tasks if task.page not in parts]
    for page, tables in map_tasks(_score_page, remaining, min(workers or usable_processors(), max(1, len(remaining)))):
        page_cache.add(page, tables)
        parts[page] = tables
        if progress:
            progress(len(parts), len(tasks))
    rows = {name: pl.concat([parts[page][name] for page in sorted(parts)]) for name in ("scores", "regions")}
    applicable = [corruption for corruption in chosen if corruption.name in set(rows["scores"]["corruption"])]
    if not applicable:
        raise InputError(f"{suite.name}: none of the corruptions applies to any sample; use more samples")
    rows["usable"] = usable_rows(rows) if usable else pl.DataFrame()
    counts = dict(rows["scores"].group_by("corruption").agg(pl.col("sample").n_unique()).iter_rows())
    about = {
        "vdebench": __version__,
        "suite": suite.name,
        "samples": len(suite.samples),
        "seed": seed,
        "reader": label,
        "metrics": list(metrics),
        "unavailable": ImageMetrics(metrics).unavailable,
        **({"usable_signature": usable_signature(rows)} if usable else {}),
        "failed": rows["scores"].filter(pl.col("state") == "failed").height,
        "corruptions": {
            corruption.name: {
                "levels": list(corruption.levels),
                "unit": corruption.unit,
                "says": corruption.says,
                "samples": counts[corruption.name],
            }
            for corruption in applicable
        },
        "left_out": [corruption.name for corruption in chosen if corruption not in applicable],
    }
    findings = [
        finding
        for name in names
        for corruption in applicable
        for finding in findings_of(
            name, corruption, _levels(rows, name, corruption), exact_layout=reader == EXACT_LAYOUT
        )
    ]
    page_cache.clear()
    return Ladder(about, applicable, findings, rows)


def _key(task: LadderTask, reader: str, chosen: Sequence[Corruption]) -> str:
    """Digest of everything that changes the rows."""
    levels = [(corruption.name, corruption.levels) for corruption in chosen]
    return digest_of(__version__, CHANGES, TRACES, reader, repr(task), repr(provenance()), repr(levels))


def _levels(
    rows: Mapping[str, pl.DataFrame], protocol: str, corruption: Corruption
) -> list[Mapping[str, pl.DataFrame]]:
    """For every level, the rows of the samples that the corruption applies to."""
    tables = {name: table.filter(pl.col("protocol") == protocol) for name, table in rows.items() if len(table)}
    able = set(tables["scores"].filter(pl.col("corruption") == corruption.name)["sample"])
    reference = {
        name: table.filter((pl.col(LEVEL) == 0) & pl.col("sample").is_in(able)) for name, table in tables.items()
    }
    later = {name: table.filter(pl.col("corruption") == corruption.name) for name, table in tables.items()}
    return [reference, *(_at(later, level) for level in corruption.depths[1:])]


def _at(tables: Mapping[str, pl.DataFrame], level: int) -> dict[str, pl.DataFrame]:
    return {name: table.filter(pl.col(LEVEL) == level) for name, table in tables.items()}


def _score_page(task: LadderTask) -> tuple[int, Tables]:
    """Score all corruptions of a page's samples."""
    # OCR output is cached, but the metrics of these temporary pages are not
    reader = CachedReader.named(task.reader, root=cache_folder()) if task.reader != EXACT_LAYOUT else None
    suite = typeset_suite(load_suite(task.order))
    protocols = [get_protocol(name) for name in task.protocols]
    rows = CollectedRows()
    subjects = ladder_samples_on(suite, task.page)
    with temporary_cache():
        scorer = LadderScorer(suite, protocols, ImageMetrics(task.metrics), reader, usable=task.usable)
        for subject in subjects:
            with CorruptionWorkspace(subject, cached_typesetter(suite.recipe.ppi), task.seed) as workspace:
                for name, level, corrupted in _pages(task, subject, workspace):
                    for protocol, row in scorer.rows(subject.sample, corrupted, workspace.reference.image):
                        rows.add(subject.sample, protocol.name, name, level, row)
    return task.page, rows.tables()


def _pages(task: LadderTask, subject: LadderSample, workspace: CorruptionWorkspace) -> Iterator[tuple[str, int, Any]]:
    """Yield corruption, level and page; the reference once."""
    applicable = [corruption for corruption in get_corruptions(task.corruptions) if corruption.applies(subject)]
    if applicable:
        yield REFERENCE, 0, applicable[0].page(workspace, 0)
    for corruption in applicable:
        for level in corruption.depths[1:]:
            yield corruption.name, level, corruption.page(workspace, level)
