"""Ratings, read from CSV with the columns `rater, unit, scale, value, when`."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from vdebench.errors import InputError
from vdebench.io.files import read_bytes
from vdebench.stats.reliability.alpha import is_missing

REQUIRED = ("rater", "unit", "value")
OPTIONAL = ("scale", "when")
DEFAULT_SCALE = "rating"
"""The scale in a file without the column."""


class Rating(NamedTuple):
    """One rating of one unit by one rater."""

    rater: str
    unit: str
    scale: str
    value: Any
    """A number or text."""
    when: datetime | None = None
    where: str = ""
    """File and line, for messages."""

    @property
    def label(self) -> str:
        """Unit, scale and rater, for messages."""
        description = f"unit {self.unit}, {self.scale}, by {self.rater}"
        return f"{self.where}: {description}" if self.where else description


def read_ratings(file: Path) -> list[Rating]:
    """Read ratings from a CSV file (commas, semicolons or tabs). Other columns and empty values are ignored.

    `scale` and `when` (ISO 8601) are optional.
    """
    try:
        text = read_bytes(file).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"{file}: not UTF-8 at byte {error.start}, expected a CSV file") from None
    header = text.partition("\n")[0]
    lines = csv.reader(io.StringIO(text, newline=""), delimiter=max(",;\t", key=header.count))
    try:
        names = [name.strip().lower() for name in next(lines, [])]
        _check_names(file, names)
        ratings = []
        for line in lines:
            if any(part.strip() for part in line):
                where = f"{file}: line {lines.line_num}"
                if len(line) != len(names):
                    raise InputError(f"{where}: {len(line)} cells, expected {len(names)}: {', '.join(names)}")
                rating = _rating(dict(zip(names, (part.strip() for part in line), strict=True)), where)
                if not is_missing(rating.value):
                    ratings.append(rating)
    except csv.Error as error:
        raise InputError(f"{file}: line {lines.line_num}: not CSV: {error}") from None
    if not ratings:
        raise InputError(f"{file}: no ratings, only a header or empty values; expected a line for every rating")
    return ratings


def _check_names(file: Path, names: list[str]) -> None:
    for name in (*REQUIRED, *OPTIONAL):
        count = names.count(name)
        if count > 1 or (not count and name in REQUIRED):
            raise InputError(
                f"{file}: {count} columns {name!r} (its columns: {', '.join(names) or 'none'});"
                f" expected {', '.join(REQUIRED)}, optionally {', '.join(OPTIONAL)}"
            )


def _rating(row: Mapping[str, str], where: str) -> Rating:
    for name in ("rater", "unit"):
        if not row[name]:
            raise InputError(f"{where}: no {name}; every rating needs one")
    return Rating(
        row["rater"], row["unit"], row.get("scale") or DEFAULT_SCALE, row["value"], _parse_time(row, where), where
    )


def _parse_time(row: Mapping[str, str], where: str) -> datetime | None:
    text = row.get("when", "")
    try:
        time = datetime.fromisoformat(text) if text else None
        return time.astimezone(UTC) if time and time.tzinfo else time
    except (ValueError, OverflowError):
        raise InputError(f"{where}: when {text!r}, expected a time as 2026-03-31T14:05:00, or nothing") from None


def without_duplicates(ratings: list[Rating]) -> Iterator[Rating]:
    """Yield ratings without duplicates; raises `InputError` if a rater gave a unit two values."""
    first_ratings: dict[tuple[str, str, str], Rating] = {}
    for rating in ratings:
        first = first_ratings.setdefault((rating.scale, rating.unit, rating.rater), rating)
        if first is rating:
            yield rating
        elif first.value != rating.value:
            raise InputError(
                f"{rating.label}: {str(rating.value)!r}, but {str(first.value)!r} before ({first.label})\n"
                "  expected one rating per rater and unit; give units that are rated again another name"
            )
