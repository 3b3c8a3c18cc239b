"""Climbing the ladder: every corruption at every level, scored by every protocol."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

from vdebench._version import __version__
from vdebench.errors import InputError
from vdebench.io.cache import digest_of
from vdebench.io.locations import cache_folder
from vdebench.metrics.image_metrics import require_known
from vdebench.metrics.registry import facts
from vdebench.parallel.local import map_tasks, usable_processors
from vdebench.pipeline.options import Progress
from vdebench.pipeline.scoring.image_metrics import ImageMetrics
from vdebench.protocols import PROTOCOLS, get_protocol
from vdebench.protocols.pages.columns import schema_of
from vdebench.readers.cached import CachedReader
from vdebench.studies.validity.corruption import Corruption
from vdebench.studies.validity.export import EXACT_LAYOUT
from vdebench.studies.validity.findings import LEVEL, findings_of, usable_rows
from vdebench.studies.validity.ladder import get_corruptions
from vdebench.studies.validity.row_store import LadderRows, Tables
from vdebench.studies.validity.scoring import LadderScorer
from vdebench.studies.validity.statistics import CorruptionResult
from vdebench.studies.validity.subject import (
    CorruptionWorkspace,
    LadderSample,
    pages_in,
    press_of,
    subjects_on,
    typeset_suite,
)
from vdebench.suites.suite import load_suite
from vdebench.suites.typeset.recipe import provenance

METRICS = ("psnr", "ssim")
PPI = 110
RIGHT = "right"
"""Stands for a corruption in the rows of level 0, which all share."""
_ABOUT = ("group", "operation", "language", "source")


class LadderTask(NamedTuple):
    """A page of a suite, all corruptions of its samples, and how they are scored."""

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
    """All findings, what they were made with, and the rows behind them.

    `rows` holds tables `scores`, `regions` and `usable` with protocol, corruption and level before their usual
    columns; level 0 stands once, under the corruption `right`.
    """

    about: Mapping[str, Any]
    corruptions: Sequence[Corruption]
    findings: Sequence[CorruptionResult]
    rows: Mapping[str, pl.DataFrame]


def order_of(samples: int, seed: int) -> str:
    """The suite of a ladder: English and Chinese take turns, so do operations and kinds of pages."""
    return f"typeset:n={samples},seed={seed},languages=en+zh,ppi={PPI}"


def climb(
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
    kept: Path | None = None,
    progress: Progress | None = None,
) -> Ladder:
    """Corrupt, read, score, and say for every metric whether it follows.

    `usable` judges usable edits too, which takes three times as long; `order` names another typeset suite.
    `kept` is a folder for finished pages while others are not: the same call again goes on from there.
    """
    chosen = get_corruptions(corruptions)
    names = tuple(dict.fromkeys(protocols)) or tuple(PROTOCOLS)
    for name in names:
        get_protocol(name)
    require_known(metrics)
    for name in metrics:
        if facts(name).kind == "image sets":
            raise InputError(f"{name} is a number of many pages at once, not of one; leave it out")
    if usable and not any(get_protocol(name).properties for name in names):
        raise InputError(f"usable edits are judged by strict alone, not by {', '.join(names)}")
    suite = typeset_suite(load_suite(order or order_of(samples, seed)))
    suite.prepare()
    if reader != EXACT_LAYOUT:
        CachedReader.named(reader)  # what is missing is told before any page is set
    done_to = tuple(corruption.name for corruption in chosen)
    how = names, reader, tuple(metrics), seed, usable
    tasks = [LadderTask(suite.name, page, done_to, *how) for page in range(pages_in(suite))]
    kept_pages = LadderRows(
        kept,
        digest_of(
            __version__, repr(tasks[0]), repr(provenance()), *(repr((each.name, each.levels)) for each in chosen)
        ),
    )
    parts = {page: found for page in range(len(tasks)) if (found := kept_pages.find(page))}
    left = [task for task in tasks if task.page not in parts]
    for page, tables in map_tasks(_climbed, left, min(workers or usable_processors(), max(1, len(left)))):
        kept_pages.add(page, tables)
        parts[page] = tables
        if progress:
            progress(len(parts), len(tasks))
    rows = {name: pl.concat([parts[page][name] for page in sorted(parts)]) for name in ("scores", "regions")}
    able = [each for each in chosen if each.name in set(rows["scores"]["corruption"])]
    if not able:
        raise InputError(f"{suite.name}: none of the corruptions can be done to any sample; ask for more of them")
    rows["usable"] = usable_rows(rows) if usable else pl.DataFrame()
    counts = dict(rows["scores"].group_by("corruption").agg(pl.col("sample").n_unique()).iter_rows())
    about = {
        "vdebench": __version__,
        "suite": suite.name,
        "samples": len(suite.samples),
        "seed": seed,
        "reader": CachedReader.named(reader).label if reader != EXACT_LAYOUT else reader,
        "metrics": list(metrics),
        "unavailable": ImageMetrics(metrics).unavailable,
        "failed": rows["scores"].filter(pl.col("state") == "failed").height,
        "corruptions": {
            each.name: {"levels": list(each.levels), "unit": each.unit, "says": each.says, "samples": counts[each.name]}
            for each in able
        },
        "left_out": [each.name for each in chosen if each not in able],
    }
    findings = [
        finding
        for name in names
        for each in able
        for finding in findings_of(name, each, _levels(rows, name, each), exact_layout=reader == EXACT_LAYOUT)
    ]
    kept_pages.clear()
    return Ladder(about, able, findings, rows)


def _levels(
    rows: Mapping[str, pl.DataFrame], protocol: str, corruption: Corruption
) -> list[Mapping[str, pl.DataFrame]]:
    """For every level the rows of the samples to which the corruption was done."""
    own = {name: table.filter(pl.col("protocol") == protocol) for name, table in rows.items() if len(table)}
    able = set(own["scores"].filter(pl.col("corruption") == corruption.name)["sample"])
    right = {name: table.filter((pl.col(LEVEL) == 0) & pl.col("sample").is_in(able)) for name, table in own.items()}
    later = {name: table.filter(pl.col("corruption") == corruption.name) for name, table in own.items()}
    return [right, *(_at(later, level) for level in corruption.depths[1:])]


def _at(tables: Mapping[str, pl.DataFrame], level: int) -> dict[str, pl.DataFrame]:
    return {name: table.filter(pl.col(LEVEL) == level) for name, table in tables.items()}


def _climbed(task: LadderTask) -> tuple[int, Tables]:
    """All rows of a page's samples."""
    # readings are worth keeping; so many measures of pages that nobody will see again are not
    reader = CachedReader.named(task.reader, root=cache_folder()) if task.reader != EXACT_LAYOUT else None
    suite = typeset_suite(load_suite(task.order))
    protocols = [get_protocol(name) for name in task.protocols]
    found: dict[str, list[dict[str, Any]]] = {"scores": [], "regions": []}
    subjects = subjects_on(suite, task.page)
    with tempfile.TemporaryDirectory(prefix="vde-validity-") as temporary, _scratch_cache(Path(temporary)):
        scorer = LadderScorer(suite, protocols, ImageMetrics(task.metrics), reader, usable=task.usable)
        for subject in subjects:
            with CorruptionWorkspace(subject, press_of(suite.recipe.ppi), task.seed) as workshop:
                for name, level, made in _pages(task, subject, workshop):
                    for protocol, row in scorer.rows(subject.sample, made, workshop.reference.image):
                        head = {"protocol": protocol.name, "corruption": name, LEVEL: level}
                        about = {column: str(getattr(subject.sample, column)) for column in _ABOUT}
                        found["scores"].append({**head, **about, **row.score})
                        found["regions"] += [{**head, **region} for region in row.regions]
    schema = {"protocol": pl.String, "corruption": pl.String, LEVEL: pl.Int64}
    return task.page, {name: pl.DataFrame(list_, schema={**schema, **schema_of(name)}) for name, list_ in found.items()}


def _pages(task: LadderTask, subject: LadderSample, workshop: CorruptionWorkspace) -> Iterator[tuple[str, int, Any]]:
    """Corruption, level and page; the right answer once."""
    able = [corruption for corruption in get_corruptions(task.corruptions) if corruption.applies(subject)]
    if able:
        yield RIGHT, 0, able[0].page(workshop, 0)
    for corruption in able:
        for level in corruption.depths[1:]:
            yield corruption.name, level, corruption.page(workshop, level)


@contextmanager
def _scratch_cache(folder: Path) -> Iterator[None]:
    before = os.environ.get("VDE_CACHE")
    os.environ["VDE_CACHE"] = str(folder)
    try:
        yield
    finally:
        if before is None:
            del os.environ["VDE_CACHE"]
        else:
            os.environ["VDE_CACHE"] = before
