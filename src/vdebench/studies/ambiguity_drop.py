"""Effect of ambiguous instructions: the same editors on a suite and on its ambiguous form, paired by sample.

For each editor and metric: the drop on the ambiguous suite, the rise in ambiguity according to judges (grades from 1 to
5, mean of the dimensions), and their quotient, the drop per unit of ambiguity.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from vdebench.errors import VdeError
from vdebench.metrics.registry import facts
from vdebench.stats.bootstrap import RESAMPLES, Array, Derive, bootstrap, means, sum_by_cluster
from vdebench.stats.matrix import Matrix
from vdebench.stats.pages import clusters, pages_beside
from vdebench.studies.ambiguity_grades import paired_ambiguity
from vdebench.studies.ambiguity_runs import RunPair, require_metrics, sides_of

METRICS = ("iou", "cdm")
"""Default metrics: position of the edit (IoU) and its text (CDM)."""
_FEW_PAGES = 20
_MIN_RISE = 0.05
"""Smallest rise in mean grade; the drop is not divided by less."""


@dataclass(frozen=True)
class Drop:
    """Drop of one editor in one metric, positive if it is worse; None if there is no value."""

    editor: str
    setting: str
    metric: str
    samples: int
    pages: int
    original: float | None
    ambiguous: float | None
    drop: float | None
    drop_low: float | None
    drop_high: float | None
    ambiguity: float | None = None
    """Rise of the mean grade on the ambiguous suite, for the same samples and judges."""
    per_unit: float | None = None
    per_unit_low: float | None = None
    per_unit_high: float | None = None
    reason: str = ""
    """Why the drop per unit is None."""


@dataclass(frozen=True)
class AmbiguityStudy:
    """All drops, with notes to show next to them."""

    drops: list[Drop]
    notes: list[str] = field(default_factory=list)

    def to_json(self) -> dict[str, Any]:
        """Return JSON data."""
        return asdict(self)


def ambiguity_drop(
    pairs: Sequence[RunPair],
    grades: Sequence[Path] = (),
    grades_ambiguous: Sequence[Path] = (),
    *,
    metrics: Sequence[str] = METRICS,
    seed: int = 0,
    resamples: int = RESAMPLES,
) -> AmbiguityStudy:
    """Compute the drops of all pairs, and per unit of ambiguity if both suites were graded (`vde ambiguity --out`).

    Raises `VdeError` if only one suite has grades, or the runs have no sample in common.
    """
    if bool(grades) != bool(grades_ambiguous):
        raise VdeError("there are grades of one suite only: pass those of both, or of neither")
    require_metrics(pairs, metrics)
    graded = paired_ambiguity(grades, grades_ambiguous) if grades else None
    notes = [
        "Drop: how much worse an editor is on ambiguous instructions, on the samples that both runs have. "
        "Per unit: the drop by the rise in mean ambiguity, which judges grade from 1 to 5. "
        f"Intervals: 95 %, paired bootstrap over pages, {resamples:,} resamples, seed {seed}."
    ]
    drops: list[Drop] = []
    for pair in pairs:
        pages = pages_beside(pair.original)
        if pages is None:
            notes.append(f"{pair.original.editor}: unknown which samples share a page: each counts as its own page.")
        for setting, sides in sides_of(pair, metrics):
            drops += _drops(pair, setting, sides, graded, pages, {"seed": seed, "resamples": resamples})
    if not drops:
        raise VdeError("the runs have no sample in common; expected runs on a suite and on its own ambiguous form")
    fewest = min(drop.pages for drop in drops)
    if fewest < _FEW_PAGES:
        notes.append(f"Intervals from {fewest} pages are too narrow: with 12 pages they cover 91 %, not 95 %.")
    return AmbiguityStudy(drops, notes)


def _drops(
    pair: RunPair,
    setting: str,
    sides: tuple[Matrix, Matrix],
    graded: Sequence[Mapping[str, float]] | None,
    pages: Mapping[str, str] | None,
    options: Mapping[str, int],
) -> Iterator[Drop]:
    one, other = sides
    page_ids = clusters(one.samples, pages) if pages is not None else list(one.samples)
    signs = np.array([-1.0 if facts(name).best == "lower" else 1.0 for name in one.metrics])
    width = one.numerators.shape[1]

    def metric_drop(sums: Array) -> Array:
        with np.errstate(invalid="ignore"):
            drop: Array = (one.derive(sums[..., :width]) - other.derive(sums[..., width : 2 * width])) * signs
            return drop

    over, under = (np.hstack([getattr(each, part) for each in sides]) for part in ("numerators", "denominators"))
    values = _with_intervals(over, under, page_ids, metric_drop, options)
    per_unit = _per_unit(one.samples, over, under, graded, page_ids, metric_drop, options)
    for at, metric in enumerate(one.metrics):
        yield Drop(
            pair.original.editor,
            setting,
            metric,
            samples=len(one.samples),
            pages=len(set(page_ids)),
            original=_number(one.means()[at]),
            ambiguous=_number(other.means()[at]),
            drop=values[0][at],
            drop_low=values[1][at],
            drop_high=values[2][at],
            **{name: each[at] if isinstance(each, list) else each for name, each in per_unit.items()},
        )


def _per_unit(
    samples: Sequence[str],
    over: Array,
    under: Array,
    graded: Sequence[Mapping[str, float]] | None,
    page_ids: Sequence[str],
    metric_drop: Derive,
    options: Mapping[str, int],
) -> dict[str, Any]:
    """Divide the drop by the rise in ambiguity, on samples that a judge graded in both suites; else give a reason."""
    if graded is None:
        return {"reason": "no ambiguity grades were passed"}
    rows = [at for at, sample in enumerate(samples) if all(sample in grades for grades in graded)]
    if not rows:
        return {"reason": "no sample was graded in both suites by the same judge"}
    pairs = np.array([[grades[samples[at]] for grades in graded] for at in rows])
    rise = float(np.mean(pairs[:, 1] - pairs[:, 0]))
    result: dict[str, Any] = {"ambiguity": rise}
    if rise < _MIN_RISE:
        return {**result, "reason": f"judges do not find the instructions more ambiguous (mean grade {rise:+.2f})"}

    def drop_per_unit(means_of: Array) -> Array:
        rises = means_of[..., -1:] - means_of[..., -2:-1]
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.where(rises < _MIN_RISE, np.nan, metric_drop(means_of) / rises)

    values = _with_intervals(
        np.hstack([over[rows], pairs]),
        np.hstack([under[rows], np.ones_like(pairs)]),
        [page_ids[at] for at in rows],
        drop_per_unit,
        options,
    )
    return {**result, "per_unit": values[0], "per_unit_low": values[1], "per_unit_high": values[2]}


def _with_intervals(
    over: Array, under: Array, page_ids: Sequence[str], derive: Derive, options: Mapping[str, int]
) -> list[list[float | None]]:
    """Return estimates, lower and upper bounds of the derived values."""
    sums = sum_by_cluster(over, under, page_ids)
    estimate = means(sums[0].sum(axis=0), sums[1].sum(axis=0), derive)
    low, high = bootstrap(over, under, page_ids, derive=derive, seed=options["seed"], resamples=options["resamples"])
    return [[_number(value) for value in column] for column in (estimate, low, high)]


def _number(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None
