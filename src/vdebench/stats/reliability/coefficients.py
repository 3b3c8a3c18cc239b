"""Agreement of raters: Krippendorff's alpha with bootstrap intervals, Fleiss' kappa, percent agreement.

Ratings are raters × units, with missing values. Alpha compares only ratings of the same unit; units with fewer than two
are left out. For the intervals units are resampled.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from vdebench.stats.bootstrap import RESAMPLES, Array, pieces
from vdebench.stats.reliability.alpha import Level, RatingKinds, alphas, encode_ratings, same_pairs

FEWER_RESAMPLES, MANY_RATINGS = 1_000, 5_000
"""Number of resamples for more than this number of distinct ratings."""
MAX_VALUES = 100
"""Up to this number of distinct values, each is counted."""


@dataclass(frozen=True)
class Reliability:
    """Agreement on one scale; an undefined number is None, with its reason."""

    level: Level
    raters: int
    units: int
    """Units with two ratings or more."""
    alone: int
    """Units with a single rating, which are left out."""
    ratings: int
    """Ratings of `units`."""
    alpha: float | None
    low: float | None
    high: float | None
    resamples: int
    dropped: int
    """Resamples without an alpha, because all their ratings are equal."""
    kappa: float | None
    pairwise: float | None
    """Share of equal pairs among all pairs of ratings of the same unit."""
    unanimous: float | None
    """Share of units with all ratings equal."""
    values: dict[str, int]
    """How often each value occurs in `units`; empty for more than 100 values."""
    reason: str = ""
    """Why there is no alpha, or no interval."""
    kappa_reason: str = ""

    def to_json(self) -> dict[str, Any]:
        """Return JSON data."""
        return asdict(self)


def reliability(
    ratings: ArrayLike,
    level: Level = "ordinal",
    *,
    resamples: int = 0,
    seed: int = 0,
    confidence: float = 0.95,
) -> Reliability:
    """Agreement of raters × units; None, NaN and empty text are missing. 0 resamples selects the default number.

    >>> result = reliability([[1, 2, 3, 3, 1], [1, 2, 3, 2, None], [1, 2, 3, 3, 1]])
    >>> round(result.alpha, 3), round(result.pairwise, 3), result.unanimous
    (0.907, 0.846, 0.8)
    >>> result.kappa, result.kappa_reason
    (None, 'units have 2 to 3 ratings: not defined for unequal numbers')
    """
    if not 0 < confidence < 1:
        raise ValueError(f"confidence is {confidence}, expected a number between 0 and 1, such as 0.95")
    kinds = encode_ratings(ratings, level)
    reason = _alpha_reason(kinds)
    alpha = low = high = None
    dropped = 0
    if not reason:
        alpha = _alpha(kinds, level)
        resamples = resamples or (FEWER_RESAMPLES if len(kinds.codes) > MANY_RATINGS else RESAMPLES)
        resampled = resampled_alphas(kinds, level, resamples=resamples, seed=seed)
        finite = resampled[np.isfinite(resampled)]
        dropped = len(resampled) - len(finite)
        if kinds.units < 2:
            reason = "no interval: one unit, at least 2 are needed"
        elif not len(finite):
            reason = f"no interval: in all of {len(resampled):,} resamples all ratings are the same"
        else:
            tail = (1 - confidence) / 2
            low, high = (float(bound) for bound in np.quantile(finite, (tail, 1 - tail)))
    kappa_reason = _kappa_reason(kinds) or (reason if alpha is None else "")
    return Reliability(
        level,
        kinds.raters,
        kinds.units,
        kinds.alone,
        int(kinds.often @ kinds.sizes),
        alpha,
        low,
        high,
        resamples if alpha is not None else 0,
        dropped,
        None if kappa_reason else _kappa(kinds),
        *_percent(kinds),
        _count_values(kinds),
        reason,
        kappa_reason,
    )


def krippendorff_alpha(ratings: ArrayLike, level: Level = "ordinal") -> float:
    """Krippendorff's alpha of raters × units: 1 for agreement, about 0 for random ratings.

    NaN if no unit has two ratings, or all ratings are equal.

    >>> round(krippendorff_alpha([[1, 2, 3, None], [1, 2, 2, 3], [1, 2, 3, 3]], "nominal"), 3)
    0.75
    """
    kinds = encode_ratings(ratings, level)
    return float("nan") if _alpha_reason(kinds) else _alpha(kinds, level)


def fleiss_kappa(counts: ArrayLike) -> float:
    """Fleiss' kappa of units × values; each cell is the number of raters who gave the unit that value.

    NaN for unequal numbers of ratings, single ratings, or all ratings equal.

    >>> round(fleiss_kappa([[3, 0], [3, 0], [0, 3], [1, 2]]), 3)
    0.657
    """
    table: Array = np.asarray(counts, dtype=np.float64)
    if table.ndim != 2 or not np.isfinite(table).all() or (table < 0).any():
        raise ValueError(f"counts of shape {table.shape}: expected units × values, none of them negative")
    ratings = table.sum(axis=1)
    if not len(ratings) or ratings[0] < 2 or (ratings != ratings[0]).any():
        return float("nan")
    by_chance = float(np.sum((table.sum(axis=0) / table.sum()) ** 2))
    observed = float(np.mean((np.sum(table**2, axis=1) - ratings) / (ratings * (ratings - 1))))
    return (observed - by_chance) / (1 - by_chance) if by_chance < 1 else float("nan")


def resampled_alphas(kinds: RatingKinds, level: Level, *, resamples: int, seed: int = 0) -> Array:
    """Alpha of every resample of the units, NaN if all its ratings are equal."""
    random = np.random.default_rng(seed)
    shares = kinds.often / kinds.units
    blocks = [
        alphas(kinds, random.multinomial(kinds.units, shares, size).astype(np.float64), level)
        for size in pieces(resamples, len(kinds.codes))
    ]
    return np.concatenate([np.empty(0), *blocks])


def _alpha(kinds: RatingKinds, level: Level) -> float:
    return float(alphas(kinds, kinds.often[None], level)[0])


def _alpha_reason(kinds: RatingKinds) -> str:
    if not kinds.units:
        return "no unit has two ratings: nothing to compare"
    if len(kinds.labels) < 2:
        return f"all ratings are {kinds.labels[0][:40]!r}: alpha is not defined"
    return ""


def _kappa_reason(kinds: RatingKinds) -> str:
    sizes = np.append(kinds.sizes, [1] * bool(kinds.alone))
    if len(sizes) and sizes.min() != sizes.max():
        return f"units have {sizes.min():.0f} to {sizes.max():.0f} ratings: not defined for unequal numbers"
    return ""


def _kappa(kinds: RatingKinds) -> float:
    width = len(kinds.labels)
    cells = np.bincount(kinds.kind * width + kinds.codes, minlength=len(kinds.often) * width)
    return fleiss_kappa(np.repeat(cells.reshape(-1, width), kinds.often.astype(int), axis=0))


def _percent(kinds: RatingKinds) -> tuple[float | None, float | None]:
    """Share of equal pairs, and share of unanimous units."""
    if not kinds.units:
        return None, None
    same, pairs = same_pairs(kinds), kinds.sizes * (kinds.sizes - 1)
    return float(kinds.often @ same / (kinds.often @ pairs)), float(kinds.often @ (same == pairs) / kinds.units)


def _count_values(kinds: RatingKinds) -> dict[str, int]:
    if len(kinds.labels) > MAX_VALUES:
        return {}
    totals = np.bincount(kinds.codes, kinds.often[kinds.kind], minlength=len(kinds.labels))
    return {label: int(count) for label, count in zip(kinds.labels, totals, strict=True)}
