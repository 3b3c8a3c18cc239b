"""Refusals of commands: a reason code and a message."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Reason(StrEnum):
    """Reason codes."""

    NOT_OPENED = "not_opened"
    ALREADY_OPENED = "already_opened"
    BAD_OPTIONS = "bad_options"
    MALFORMED = "malformed"
    BAD_TEXT = "bad_text"
    UNKNOWN_MEMBER = "unknown_member"
    KNOWN_MEMBER = "known_member"
    WRONG_ROLE = "wrong_role"
    WRONG_GROUP = "wrong_group"
    UNKNOWN_SAMPLE = "unknown_sample"
    KNOWN_SAMPLE = "known_sample"
    UNKNOWN_MARK = "unknown_mark"
    KNOWN_MARK = "known_mark"
    PILOT_OPEN = "pilot_open"
    NO_PILOT = "no_pilot"
    NOT_IN_PILOT = "not_in_pilot"
    WRONG_STEP = "wrong_step"
    WRONG_ROUND = "wrong_round"
    CLOSED = "closed"
    ALREADY_VOTED = "already_voted"
    LEASED = "leased"
    BAD_RATING = "bad_rating"
    NO_BOX = "no_box"
    TOO_MANY_BOXES = "too_many_boxes"
    BOX_NOT_PIXELS = "box_not_pixels"
    BOX_EMPTY = "box_empty"
    BOX_OUTSIDE = "box_outside"
    BOX_TWICE = "box_twice"
    BAD_VERDICT = "bad_verdict"
    KEY_REUSED = "key_reused"
    BUSY = "busy"


@dataclass(frozen=True, slots=True)
class Refusal:
    """A refused command; nothing was changed."""

    reason: Reason
    words: str
