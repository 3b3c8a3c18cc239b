"""Ratings as a tidy table of `rater, unit, scale, value, when`: read from CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from vdebench.errors import InputError
from vdebench.io.files import read_bytes
from vdebench.stats.reliability.alpha import is_gap

NEEDED = ("rater", "unit", "value")
OPTIONAL = ("scale", "when")
ONLY = "rating"
"""The scale of a file that names none."""


class Rating(NamedTuple):
    """What one person said of one thing."""

    rater: str
    unit: str
    scale: str
    value: Any
    """A number or a word."""
    when: datetime | None = None
    where: str = ""
    """File and line, for messages."""

    @property
    def named(self) -> str:
        """Which rating it is, for messages."""
        said = f"unit {self.unit}, {self.scale}, by {self.rater}"
        return f"{self.where}: {said}" if self.where else said


def read_ratings(file: Path) -> list[Rating]:
    """The ratings in a CSV file: commas, semicolons or tabs; further columns are passed over, and so are empty values.

    `scale` and `when` (ISO 8601) may be left out.
    """
    try:
        text = read_bytes(file).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"{file}: not UTF-8 at byte {error.start}, expected a CSV file") from None
    head = text.partition("\n")[0]
    lines = csv.reader(io.StringIO(text, newline=""), delimiter=max(",;\t", key=head.count))
    try:
        names = [name.strip().lower() for name in next(lines, [])]
        _check_names(file, names)
        found = []
        for line in lines:
            if any(part.strip() for part in line):
                where = f"{file}: line {lines.line_num}"
                if len(line) != len(names):
                    raise InputError(f"{where}: {len(line)} cells, expected {len(names)}: {', '.join(names)}")
                rating = _rating(dict(zip(names, (part.strip() for part in line), strict=True)), where)
                if not is_gap(rating.value):
                    found.append(rating)
    except csv.Error as error:
        raise InputError(f"{file}: line {lines.line_num}: not CSV: {error}") from None
    if not found:
        raise InputError(f"{file}: no ratings, only heads or empty values; expected a line for every rating")
    return found


def _check_names(file: Path, names: list[str]) -> None:
    for name in (*NEEDED, *OPTIONAL):
        count = names.count(name)
        if count > 1 or (not count and name in NEEDED):
            raise InputError(
                f"{file}: {count} columns {name!r} (its columns: {', '.join(names) or 'none'});"
                f" expected {', '.join(NEEDED)}, and as you like {', '.join(OPTIONAL)}"
            )


def _rating(row: Mapping[str, str], where: str) -> Rating:
    for name in ("rater", "unit"):
        if not row[name]:
            raise InputError(f"{where}: no {name}; every rating needs one")
    return Rating(row["rater"], row["unit"], row.get("scale") or ONLY, row["value"], _when(row, where), where)


def _when(row: Mapping[str, str], where: str) -> datetime | None:
    text = row.get("when", "")
    try:
        found = datetime.fromisoformat(text) if text else None
        return found.astimezone(UTC) if found and found.tzinfo else found
    except (ValueError, OverflowError):
        raise InputError(f"{where}: when {text!r}, expected a time as 2026-03-31T14:05:00, or nothing") from None


def without_repeats(ratings: list[Rating]) -> Iterator[Rating]:
    """Ratings, those that were sent twice once; who rates a unit twice and otherwise is an error."""
    seen: dict[tuple[str, str, str], Rating] = {}
    for rating in ratings:
        before = seen.setdefault((rating.scale, rating.unit, rating.rater), rating)
        if before is rating:
            yield rating
        elif before.value != rating.value:
            raise InputError(
                f"{rating.named}: {str(rating.value)!r}, but {str(before.value)!r} before ({before.named})\n"
                "  one rating for each; name what is rated again, in another round, as a unit of its own"
            )
