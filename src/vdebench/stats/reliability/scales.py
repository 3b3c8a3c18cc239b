"""Agreement of raters by scale, and over time: by day, week, month or number of units."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal, get_args

import numpy as np

from vdebench.errors import InputError, TooLargeError
from vdebench.stats.reliability.alpha import LEVELS, Level, is_missing, to_number
from vdebench.stats.reliability.coefficients import Reliability, reliability
from vdebench.stats.reliability.ratings import Rating, without_duplicates

Period = Literal["day", "week", "month"]
PERIODS: tuple[Period, ...] = get_args(Period)
_LABELS: dict[Period, str] = {"day": "%Y-%m-%d", "week": "%G-W%V", "month": "%Y-%m"}


@dataclass(frozen=True)
class ScaleReliability:
    """Agreement on one scale, of all units or of those finished in a window."""

    scale: str
    window: str
    """Such as 2026-03-31, or 51–100 for the second fifty units; empty for all."""
    result: Reliability

    def to_json(self) -> dict[str, Any]:
        """Return JSON data."""
        return {"scale": self.scale, "window": self.window, **self.result.to_json()}


def reliability_by_scale(
    ratings: Iterable[Rating],
    scales: Sequence[str] = (),
    *,
    level: Level | None = None,
    over: Period | int | None = None,
    resamples: int = 0,
    seed: int = 0,
) -> list[ScaleReliability]:
    """Agreement on all or some scales; in every window of time if `over` is a period or a number of units.

    Without a level numbers are ordinal and text is nominal. A unit belongs to the window of its last rating, so that
    all its ratings are compared; a number forms windows of so many units, in the order of their last ratings.

    >>> ratings = [Rating(name, f"page {i}", "legible", i % 3) for name in ("Ann", "Bob") for i in range(9)]
    >>> [row] = reliability_by_scale([*ratings, Rating("Cem", "page 0", "legible", 2)], resamples=1000)
    >>> row.scale, row.result.level, round(row.result.alpha, 3), row.result.raters
    ('legible', 'ordinal', 0.708, 3)
    """
    if isinstance(over, int) and over < 1:
        raise InputError(f"{over} units at a time, expected 1 or more")
    by: dict[str, list[Rating]] = {}
    for rating in without_duplicates([rating for rating in ratings if not is_missing(rating.value)]):
        by.setdefault(rating.scale, []).append(rating)
    if unknown := [name for name in scales if name not in by]:
        raise InputError(f"no ratings on scale {unknown[0]!r}; there are: {', '.join(by) or 'none'}")
    results = []
    for scale in scales or by:
        scale_level = level or _level(by[scale])
        for window, group in _windows(by[scale], over):
            try:
                result = reliability(_table(group), scale_level, resamples=resamples, seed=seed)
            except (InputError, TooLargeError) as error:
                file = group[0].where.rpartition(": line")[0]
                raise type(error)(f"{file}{': ' if file else ''}scale {scale}: {error}") from None
            results.append(ScaleReliability(scale, window, result))
    return results


def parse_level(text: str) -> Level | None:
    """Parse the name of a level; None for "".

    >>> parse_level("Nominal"), parse_level("")
    ('nominal', None)
    """
    level = next((known for known in LEVELS if known == text.strip().lower()), None)
    if text and not level:
        raise InputError(f"level {text!r}, expected one of {', '.join(LEVELS)}")
    return level


def parse_window(text: str) -> Period | int | None:
    """Parse the name of a period or a number of units; None for "".

    >>> parse_window("day"), parse_window("50"), parse_window("")
    ('day', 50, None)
    """
    if text.isdecimal() and len(text) < 10 and int(text) > 0:
        return int(text)
    period = next((known for known in PERIODS if known == text.strip().lower()), None)
    if text and not period:
        raise InputError(f"over {text!r}, expected {', '.join(PERIODS)}, or a number of units at a time")
    return period


def _level(ratings: Sequence[Rating]) -> Level:
    """Numbers are ordinal, text is nominal; raises `InputError` for a mixture."""
    texts = [rating for rating in ratings if to_number(rating.value) is None]
    if texts and len(texts) < len(ratings):
        first, numbers = texts[0], len(ratings) - len(texts)
        raise InputError(
            f"{first.label}: {str(first.value)!r} among numbers ({numbers:,} of {len(ratings):,} are)\n"
            "  correct it, leave it empty, or use the level nominal to compare all values as text"
        )
    return "nominal" if texts else "ordinal"


def _table(ratings: Sequence[Rating]) -> np.ndarray[Any, np.dtype[np.object_]]:
    """Raters × units; None for a missing rating."""
    raters, units = ({name: at for at, name in enumerate(sorted(names))} for names in _names(ratings))
    table = np.full((len(raters), len(units)), None, dtype=object)
    for rating in ratings:
        table[raters[rating.rater], units[rating.unit]] = rating.value
    return table


def _names(ratings: Sequence[Rating]) -> tuple[set[str], set[str]]:
    return {rating.rater for rating in ratings}, {rating.unit for rating in ratings}


def _windows(ratings: Sequence[Rating], over: Period | int | None) -> list[tuple[str, list[Rating]]]:
    """Ratings by the window of their unit's last rating, in order."""
    if over is None:
        return [("", list(ratings))]
    finished: dict[str, datetime] = {}
    for rating in ratings:
        time = _time(rating, ratings[0])
        finished[rating.unit] = max(time, finished.get(rating.unit, time))
    order = sorted(finished, key=lambda unit: (finished[unit], unit))
    if isinstance(over, int):
        starts = range(0, len(order), over)
        names = {at: f"{at + 1}–{min(at + over, len(order))}" for at in starts}
        labels = {unit: names[at - at % over] for at, unit in enumerate(order)}
    else:
        labels = {unit: finished[unit].strftime(_LABELS[over]) for unit in order}
    windows: dict[str, list[Rating]] = {labels[unit]: [] for unit in order}
    for rating in ratings:
        windows[labels[rating.unit]].append(rating)
    return list(windows.items())


def _time(rating: Rating, first: Rating) -> datetime:
    if rating.when is None:
        raise InputError(f"{rating.label}: has no time; agreement over time needs a column `when`")
    if first.when is not None and (rating.when.tzinfo is None) != (first.when.tzinfo is None):
        raise InputError(
            f"{rating.label}: {rating.when.isoformat()}, but {first.when.isoformat()} elsewhere ({first.label})\n"
            "  give all times with their offset from UTC (+00:00), or none"
        )
    return rating.when.astimezone(UTC) if rating.when.tzinfo else rating.when
