"""Agreement of raters scale by scale, and over time: by day, week or month, or so many units at a time."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal, get_args

import numpy as np

from vdebench.errors import InputError, TooLargeError
from vdebench.stats.reliability.alpha import LEVELS, Level, is_gap, number
from vdebench.stats.reliability.coefficients import Reliability, reliability
from vdebench.stats.reliability.ratings import Rating, without_repeats

Period = Literal["day", "week", "month"]
PERIODS: tuple[Period, ...] = get_args(Period)
_LABELS: dict[Period, str] = {"day": "%Y-%m-%d", "week": "%G-W%V", "month": "%Y-%m"}


@dataclass(frozen=True)
class ScaleReliability:
    """Agreement on one scale, of all units or of those that were finished in a window."""

    scale: str
    window: str
    """Such as 2026-03-31, or 51–100 for the second fifty units; empty for all."""
    found: Reliability

    def to_json(self) -> dict[str, Any]:
        """As a dictionary."""
        return {"scale": self.scale, "window": self.window, **self.found.to_json()}


def reliability_by_scale(
    ratings: Iterable[Rating],
    scales: Sequence[str] = (),
    *,
    level: Level | None = None,
    over: Period | int | None = None,
    resamples: int = 0,
    seed: int = 0,
) -> list[ScaleReliability]:
    """Agreement on every scale, or on those that are named; in every window of time where `over` is given.

    Without a level numbers are ordinal and words are nominal. A unit belongs to the window in which its last rating
    came, so that all its ratings are compared; a number is so many units at a time, in the order of being finished.

    >>> said = [Rating(who, f"page {at}", "legible", at % 3) for who in ("Ann", "Bob") for at in range(9)]
    >>> [one] = reliability_by_scale([*said, Rating("Cem", "page 0", "legible", 2)], resamples=1000)
    >>> one.scale, one.found.level, round(one.found.alpha, 3), one.found.raters
    ('legible', 'ordinal', 0.708, 3)
    """
    if isinstance(over, int) and over < 1:
        raise InputError(f"{over} units at a time, expected 1 or more")
    by: dict[str, list[Rating]] = {}
    for rating in without_repeats([rating for rating in ratings if not is_gap(rating.value)]):
        by.setdefault(rating.scale, []).append(rating)
    if unknown := [name for name in scales if name not in by]:
        raise InputError(f"no ratings on scale {unknown[0]!r}; there are: {', '.join(by) or 'none'}")
    found = []
    for scale in scales or by:
        taken = level or _level(by[scale])
        for window, some in _windows(by[scale], over):
            try:
                told = reliability(_table(some), taken, resamples=resamples, seed=seed)
            except (InputError, TooLargeError) as error:
                where = some[0].where.rpartition(": line")[0]
                raise type(error)(f"{where}{': ' if where else ''}scale {scale}: {error}") from None
            found.append(ScaleReliability(scale, window, told))
    return found


def level_named(text: str) -> Level | None:
    """A level by its name, None for none.

    >>> level_named("Nominal"), level_named("")
    ('nominal', None)
    """
    found = next((level for level in LEVELS if level == text.strip().lower()), None)
    if text and not found:
        raise InputError(f"level {text!r}, expected one of {', '.join(LEVELS)}")
    return found


def window_named(text: str) -> Period | int | None:
    """A window by its name, or so many units; None for all at once.

    >>> window_named("day"), window_named("50"), window_named("")
    ('day', 50, None)
    """
    if text.isdecimal() and len(text) < 10 and int(text) > 0:
        return int(text)
    found = next((period for period in PERIODS if period == text.strip().lower()), None)
    if text and not found:
        raise InputError(f"over {text!r}, expected {', '.join(PERIODS)}, or a number of units at a time")
    return found


def _level(ratings: Sequence[Rating]) -> Level:
    """Numbers are ordinal, words are nominal; both together are more likely a mistake."""
    words = [rating for rating in ratings if number(rating.value) is None]
    if words and len(words) < len(ratings):
        word, numbers = words[0], len(ratings) - len(words)
        raise InputError(
            f"{word.named}: {str(word.value)!r} among numbers ({numbers:,} of {len(ratings):,} are)\n"
            "  mend it, leave it empty where nothing was said, or take all for words: level nominal"
        )
    return "nominal" if words else "ordinal"


def _table(ratings: Sequence[Rating]) -> np.ndarray[Any, np.dtype[np.object_]]:
    """Raters × units, with gaps."""
    raters, units = ({name: at for at, name in enumerate(sorted(names))} for names in _names(ratings))
    table = np.full((len(raters), len(units)), None, dtype=object)
    for rating in ratings:
        table[raters[rating.rater], units[rating.unit]] = rating.value
    return table


def _names(ratings: Sequence[Rating]) -> tuple[set[str], set[str]]:
    return {rating.rater for rating in ratings}, {rating.unit for rating in ratings}


def _windows(ratings: Sequence[Rating], over: Period | int | None) -> list[tuple[str, list[Rating]]]:
    """Ratings by the window in which their unit was finished, from the earliest."""
    if over is None:
        return [("", list(ratings))]
    finished: dict[str, datetime] = {}
    for rating in ratings:
        when = _time(rating, ratings[0])
        finished[rating.unit] = max(when, finished.get(rating.unit, when))
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
        raise InputError(f"{rating.named}: does not say when it was given; agreement over time needs a column `when`")
    if first.when is not None and (rating.when.tzinfo is None) != (first.when.tzinfo is None):
        raise InputError(
            f"{rating.named}: {rating.when.isoformat()}, but {first.when.isoformat()} elsewhere ({first.named})\n"
            "  give all times with their offset from UTC (+00:00), or none"
        )
    return rating.when.astimezone(UTC) if rating.when.tzinfo else rating.when
