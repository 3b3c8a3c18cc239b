"""Ratings as a CSV table for `vde review agreement`: one line per rating, from steps that have ended."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from vdebench.io.files import write_text
from vdebench.review.ratings import SCALES
from vdebench.review.state import Item, State
from vdebench.review.steps.pilot import PilotRated
from vdebench.review.workflow import WORKFLOW

COLUMNS = ("rater", "unit", "scale", "value", "when")


def pilot_ratings(state: State) -> Iterator[tuple[str, str, str, str, str]]:
    """Yield the ratings of pilots that have ended; a sample in a later pilot is a separate unit."""
    for item in _in_order(state):
        for vote in item.history:
            if isinstance(vote.what, PilotRated):
                pilot = vote.what.round
                if pilot < state.study.pilot or not state.study.pilot_open:
                    unit = item.id if pilot == 1 else f"{item.id}, pilot {pilot}"
                    for scale, name in SCALES.items():
                        yield vote.who, unit, name, str(getattr(vote.what.ratings, scale)), vote.when


def group_ratings(state: State) -> Iterator[tuple[str, str, str, str, str]]:
    """Yield the votes of groups on samples of the pool: three scales, and yes or no at screenings."""
    for item in _in_order(state):
        for vote in item.history:
            what: Any = vote.what
            step = WORKFLOW.of_vote(what)
            if step is None or step.voters != "group" or not item.is_closed(step.name, what.round):
                continue
            unit = item.id if what.round == 1 else f"{item.id}, round {what.round}"
            rater = f"group {what.group}"
            if step.scale:
                yield rater, unit, step.scale, "yes" if what.yes else "no", vote.when
            elif "ratings" in step.form.fields:
                for scale, name in SCALES.items():
                    yield rater, unit, name, str(getattr(what.ratings, scale)), vote.when


def write_ratings(file: Path, rows: Iterator[tuple[str, str, str, str, str]]) -> int:
    """Write the table atomically; return the number of ratings."""
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
