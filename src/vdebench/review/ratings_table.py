"""Ratings as a table that `vde review agreement` reads: one line for each, of steps that have come to their end."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from pathlib import Path

from vdebench.io.files import write_text
from vdebench.review.event_types import PilotRated, Rated, Screened
from vdebench.review.ratings import SCALES
from vdebench.review.state import Item, State

COLUMNS = ("rater", "unit", "scale", "value", "when")
SCREENING = "final screening"


def pilot_ratings(state: State) -> Iterator[tuple[str, str, str, str, str]]:
    """What people said in the pilots that have ended; a second pilot's samples are units of their own."""
    for item in _in_order(state):
        for vote in item.history:
            if isinstance(vote.what, PilotRated):
                pilot = vote.what.round
                if pilot < state.study.pilot or not state.study.pilot_open:
                    unit = item.id if pilot == 1 else f"{item.id}, pilot {pilot}"
                    for scale, name in SCALES.items():
                        yield vote.who, unit, name, str(getattr(vote.what.ratings, scale)), vote.when


def group_ratings(state: State) -> Iterator[tuple[str, str, str, str, str]]:
    """What groups said of samples in the pool: three scales, and yes or no at the screening."""
    for item in _in_order(state):
        for vote in item.history:
            what = vote.what
            if not isinstance(what, Rated | Screened) or not item.is_closed(vote.step, what.round):
                continue
            unit = item.id if what.round == 1 else f"{item.id}, round {what.round}"
            rater = f"group {what.group}"
            if isinstance(what, Screened):
                yield rater, unit, SCREENING, "yes" if what.yes else "no", vote.when
            else:
                for scale, name in SCALES.items():
                    yield rater, unit, name, str(getattr(what.ratings, scale)), vote.when


def write_ratings(file: Path, rows: Iterator[tuple[str, str, str, str, str]]) -> int:
    """Write a table whole or not at all; how many ratings it has."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    count = 0
    for count, row in enumerate(rows, start=1):  # noqa: B007 - counted here
        writer.writerow(row)
    write_text(file, text.getvalue())
    return count


def _in_order(state: State) -> list[Item]:
    return sorted(state.items.values(), key=lambda item: item.position)
