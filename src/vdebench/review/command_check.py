"""Whether what a command brings can be what it says it is: ratings, boxes, verdicts, texts."""

from __future__ import annotations

from vdebench.review.boxes import wrong_boxes
from vdebench.review.commands import (
    Adjudicate,
    Check,
    Command,
    Draw,
    Join,
    Mark,
    Rate,
    RatePilot,
    Screen,
    VoteCommand,
    Withdraw,
)
from vdebench.review.ratings import Ratings
from vdebench.review.refusals import Reason, Refusal
from vdebench.review.state import Item
from vdebench.review.text_check import wrong_name, wrong_text

CHECKS = ("correct", "corrected", "wrong")
RULINGS = ("boxes", "again", "reject")
SIDES = ("before", "after")
_NAMES = ("sample", "group", "mark", "name")
_TEXTS = ("note", "reason", "verdict", "side", "role")


def wrong_texts(command: Command) -> Refusal | None:
    """Why a name or a text of a command cannot be one: checked before anything is looked up by it."""
    for name in _NAMES:
        value = getattr(command, name, None)
        may_be_empty = name == "group" and isinstance(command, Join) and value == ""
        if hasattr(command, name) and not may_be_empty and (problem := wrong_name(value)):
            return Refusal(Reason.BAD_TEXT, f"{name} {problem}")
    for name in _TEXTS:
        if hasattr(command, name) and (problem := wrong_text(getattr(command, name))):
            return Refusal(Reason.BAD_TEXT, f"{name} {problem}")
    if isinstance(command, Withdraw) and not command.reason.strip():
        return Refusal(Reason.BAD_TEXT, "reason is empty, expected why the sample is taken out")
    return None


def wrong_contents(item: Item, command: VoteCommand | Mark) -> Refusal | None:
    """Why a vote or a mark cannot be one."""
    match command:
        case RatePilot() | Rate():
            ratings = command.ratings
            wrong = ratings.wrong if isinstance(ratings, Ratings) else "expected a score on each of three scales"
            return Refusal(Reason.BAD_RATING, wrong) if wrong else None
        case Draw():
            return wrong_boxes(command.boxes, item.width, item.height)
        case Screen():
            words = f"{command.yes!r}"[:200] + ", expected yes or no"
            return None if isinstance(command.yes, bool) else Refusal(Reason.BAD_VERDICT, words)
        case Check():
            return _wrong_check(item, command)
        case Adjudicate():
            return _wrong_ruling(item, command)
        case Mark():
            if command.side not in SIDES:
                return Refusal(Reason.BAD_VERDICT, f"side {command.side!r}"[:200] + ", expected before or after")
            return wrong_boxes(command.boxes, item.width, item.height)


def _wrong_check(item: Item, command: Check) -> Refusal | None:
    if command.verdict not in CHECKS:
        return Refusal(Reason.BAD_VERDICT, f"verdict {command.verdict!r}"[:200] + f", expected one of {CHECKS}")
    if not isinstance(command.texts, tuple | list):
        return Refusal(Reason.MALFORMED, "texts are no list")
    expected = len(item.boxes) if command.verdict == "corrected" else 0
    if len(command.texts) != expected:
        words = f"{len(command.texts)} texts, expected {expected}: one for every region where they are corrected"
        return Refusal(Reason.BAD_VERDICT, words)
    problem = next(filter(None, map(wrong_text, command.texts)), "")
    return Refusal(Reason.BAD_TEXT, f"a text {problem}") if problem else None


def _wrong_ruling(item: Item, command: Adjudicate) -> Refusal | None:
    if command.verdict not in RULINGS:
        return Refusal(Reason.BAD_VERDICT, f"verdict {command.verdict!r}"[:200] + f", expected one of {RULINGS}")
    if command.verdict == "boxes":
        return wrong_boxes(command.boxes, item.width, item.height)
    return Refusal(Reason.BAD_VERDICT, f"{command.verdict} comes without boxes") if command.boxes else None
