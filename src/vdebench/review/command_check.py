"""Checks of commands before the rules: names, texts and marks. The fields of votes are checked by their steps."""

from __future__ import annotations

from vdebench.review.boxes import wrong_boxes
from vdebench.review.commands import Command, Join, Mark, Withdraw
from vdebench.review.refusals import Reason, Refusal
from vdebench.review.state import Item
from vdebench.review.text_check import wrong_name, wrong_text

SIDES = ("before", "after")
_NAMES = ("sample", "group", "mark", "name")
_TEXTS = ("note", "reason", "verdict", "side", "role")


def wrong_texts(command: Command) -> Refusal | None:
    """Return a refusal if a name or text is invalid; called before anything is looked up by name."""
    for name in _NAMES:
        value = getattr(command, name, None)
        may_be_empty = name == "group" and isinstance(command, Join) and value == ""
        if hasattr(command, name) and not may_be_empty and (problem := wrong_name(value)):
            return Refusal(Reason.BAD_TEXT, f"{name} {problem}")
    for name in _TEXTS:
        if hasattr(command, name) and (problem := wrong_text(getattr(command, name))):
            return Refusal(Reason.BAD_TEXT, f"{name} {problem}")
    if isinstance(command, Withdraw) and not command.reason.strip():
        return Refusal(Reason.BAD_TEXT, "reason is empty, expected why the sample is withdrawn")
    return None


def wrong_mark(item: Item, command: Mark) -> Refusal | None:
    """Return a refusal if a mark is not on the image before or after the edit."""
    if command.side not in SIDES:
        return Refusal(Reason.BAD_VERDICT, f"side {command.side!r}"[:200] + ", expected before or after")
    return wrong_boxes(command.boxes, item.width, item.height)
