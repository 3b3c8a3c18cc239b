"""What ambiguous instructions cost: the same editors on a suite and on its ambiguous form, paired sample by sample.

For every editor and metric: how much worse it is on the ambiguous suite, by how much more ambiguous judges find the
instructions (from 1 to 5, the mean of the dimensions), and the one by the other: the drop per unit of ambiguity.
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
from vdebench.stats.bootstrap import RESAMPLES, Array, Derive, bootstrap, means, summed
from vdebench.stats.matrix import Matrix
from vdebench.stats.pages import clusters, pages_beside
from vdebench.studies.ambiguity_grades import paired_ambiguity
from vdebench.studies.ambiguity_runs import RunPair, require_metrics, sides_of

METRICS = ("iou", "cdm")
"""Compared where none is named: where the edit is, and what it says."""
_FEW = 20
_LEAST = 0.05
"""Less of a difference between mean grades is none: nothing is divided by it."""


@dataclass(frozen=True)
class Drop:
    """One editor's loss in one metric, positive where it is worse; None where there is no number."""

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
    """By how much the mean grade is higher on the ambiguous suite, on the same samples, by the same judges."""
    per_unit: float | None = None
    per_unit_low: float | None = None
    per_unit_high: float | None = None
    reason: str = ""
    """Why there is no drop per unit."""


@dataclass(frozen=True)
class AmbiguityStudy:
    """All drops, and what must stand beside them."""

    drops: list[Drop]
    notes: list[str] = field(default_factory=list)

    def to_json(self) -> dict[str, Any]:
        """For other programs."""
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
    """The drops of all pairs; per unit of ambiguity where both suites were graded (`vde ambiguity --out`)."""
    if bool(grades) != bool(grades_ambiguous):
        raise VdeError("grades of one suite alone: give those of both, or of neither")
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
            notes.append(f"{pair.original.editor}: which samples share a page is not known: each counts as one.")
        for setting, sides in sides_of(pair, metrics):
            drops += _drops(pair, setting, sides, graded, pages, {"seed": seed, "resamples": resamples})
    if not drops:
        raise VdeError("the runs have no sample in common; were they made on a suite and its own ambiguous form?")
    fewest = min(drop.pages for drop in drops)
    if fewest < _FEW:
        notes.append(f"Intervals of {fewest} pages are too narrow: at 12 they hold the truth in 91 %, not in 95 %.")
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
    drawn = clusters(one.samples, pages) if pages is not None else list(one.samples)
    signs = np.array([-1.0 if facts(name).best == "lower" else 1.0 for name in one.metrics])
    width = one.numerators.shape[1]

    def fallen(found: Array) -> Array:
        with np.errstate(invalid="ignore"):
            apart: Array = (one.derive(found[..., :width]) - other.derive(found[..., width : 2 * width])) * signs
            return apart

    over, under = (np.hstack([getattr(each, part) for each in sides]) for part in ("numerators", "denominators"))
    values = _numbers(over, under, drawn, fallen, options)
    per_unit = _per_unit(one.samples, over, under, graded, drawn, fallen, options)
    for at, metric in enumerate(one.metrics):
        yield Drop(
            pair.original.editor,
            setting,
            metric,
            samples=len(one.samples),
            pages=len(set(drawn)),
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
    drawn: Sequence[str],
    fallen: Derive,
    options: Mapping[str, int],
) -> dict[str, Any]:
    """The drop by the rise in ambiguity, on the samples that a judge has graded in both suites; or why not."""
    if graded is None:
        return {"reason": "no grades of ambiguity were given"}
    rows = [at for at, sample in enumerate(samples) if all(sample in grades for grades in graded)]
    if not rows:
        return {"reason": "no sample was graded in both suites by the same judge"}
    found = np.array([[grades[samples[at]] for grades in graded] for at in rows])
    rise = float(np.mean(found[:, 1] - found[:, 0]))
    told: dict[str, Any] = {"ambiguity": rise}
    if rise < _LEAST:
        return {**told, "reason": f"judges do not find the instructions more ambiguous (mean grade {rise:+.2f})"}

    def by_unit(means_of: Array) -> Array:
        risen = means_of[..., -1:] - means_of[..., -2:-1]
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.where(risen < _LEAST, np.nan, fallen(means_of) / risen)

    values = _numbers(
        np.hstack([over[rows], found]),
        np.hstack([under[rows], np.ones_like(found)]),
        [drawn[at] for at in rows],
        by_unit,
        options,
    )
    return {**told, "per_unit": values[0], "per_unit_low": values[1], "per_unit_high": values[2]}


def _numbers(
    over: Array, under: Array, drawn: Sequence[str], derive: Derive, options: Mapping[str, int]
) -> list[list[float | None]]:
    """Estimate, lower and upper bound of all that is derived."""
    sums = summed(over, under, drawn)
    estimate = means(sums[0].sum(axis=0), sums[1].sum(axis=0), derive)
    low, high = bootstrap(over, under, drawn, derive=derive, seed=options["seed"], resamples=options["resamples"])
    return [[_number(value) for value in column] for column in (estimate, low, high)]


def _number(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None
