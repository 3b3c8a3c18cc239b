"""What follows from the votes of a step once the last one is in."""

from __future__ import annotations

from collections.abc import Sequence

from vdebench.review.boxes import agreement
from vdebench.review.event_types import Adjudicated, Checked, Closed, Drawn, Rated, Screened
from vdebench.review.events import Event
from vdebench.review.options import Options
from vdebench.review.state import Item


def outcome(options: Options, item: Item, votes: Sequence[Event]) -> Closed:
    """How the step in which a sample is ends by these votes: one of every voter."""
    match item.step:
        case "score":
            return _scored(options, item, votes)
        case "boxes":
            return _drawn(options, item, votes)
        case "screen":
            return _screened(item, votes)
        case "ocr":
            return _checked(item, votes)
    return _adjudicated(item, votes)


def _scored(options: Options, item: Item, votes: Sequence[Event]) -> Closed:
    totals = {vote.what.group: vote.what.ratings.total for vote in votes if isinstance(vote.what, Rated)}
    words = ", ".join(f"{group}: {total}" for group, total in sorted(totals.items()))
    if min(totals.values()) >= options.needed_total:
        return Closed(item.id, "score", item.round, "on")
    return Closed(item.id, "score", item.round, "rejected", "low_score", f"totals {words}")


def _drawn(options: Options, item: Item, votes: Sequence[Event]) -> Closed:
    found = agreement([vote.what.boxes for vote in votes if isinstance(vote.what, Drawn)])
    value = float(found.value)
    if found.above(options.agreement):
        return Closed(item.id, "boxes", item.round, "on", boxes=found.largest(), agreement=value)
    ended = "again" if item.round < item.limit else "conflict"
    words = "" if found.regions else "the groups drew different numbers of boxes"
    return Closed(item.id, "boxes", item.round, ended, words=words, agreement=value)


def _screened(item: Item, votes: Sequence[Event]) -> Closed:
    against = [vote.what for vote in votes if isinstance(vote.what, Screened) and not vote.what.yes]
    if not against:
        return Closed(item.id, "screen", item.round, "on")
    words = "; ".join(f"{each.group}: no {each.note}".rstrip() for each in sorted(against, key=lambda no: no.group))
    return Closed(item.id, "screen", item.round, "rejected", "screened_out", words)


def _checked(item: Item, votes: Sequence[Event]) -> Closed:
    (given,) = (vote.what for vote in votes if isinstance(vote.what, Checked))
    if given.verdict == "wrong":
        return Closed(item.id, "ocr", item.round, "rejected", "misread", given.note)
    return Closed(item.id, "ocr", item.round, "on", words=given.verdict)


def _adjudicated(item: Item, votes: Sequence[Event]) -> Closed:
    (given,) = (vote.what for vote in votes if isinstance(vote.what, Adjudicated))
    if given.verdict == "reject":
        return Closed(item.id, "conflict", item.round, "rejected", "adjudicated", given.note)
    ended = {"boxes": "on", "again": "again"}[given.verdict]
    return Closed(item.id, "conflict", item.round, ended, words=given.note, boxes=given.boxes)
