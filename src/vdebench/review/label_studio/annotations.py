"""From an annotation to a command. Label Studio checks nothing of what it is sent, so everything is looked at here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import floor, isfinite
from typing import Any, NamedTuple

from vdebench.core.box import Box, Size
from vdebench.review.command_check import CHECKS
from vdebench.review.commands import Check, Draw, Rate, RatePilot, Screen, VoteCommand
from vdebench.review.label_studio.configs import ANSWERS, CHANGED
from vdebench.review.label_studio.projects import ReviewProject
from vdebench.review.ratings import SCALES, Ratings
from vdebench.review.state import Item

Result = Mapping[str, Any]


class UnfitError(Exception):
    """Why an annotation is no vote."""

    def __init__(self, reason: str, words: str) -> None:
        super().__init__(words)
        self.reason, self.words = reason, words


class TaskLabel(NamedTuple):
    """What a task of ours is about."""

    sample: str
    round: int
    edit: str
    texts: tuple[str, ...] = ()
    """What was read in the regions, as the person is shown it."""


def slip_of(data: object) -> TaskLabel:
    """What a task says it is about.

    >>> slip_of({"sample": "a", "round": 2, "edit": "9f86"})
    TaskLabel(sample='a', round=2, edit='9f86', texts=())
    """
    told = data if isinstance(data, Mapping) else {}
    sample, round, edit, regions = told.get("sample"), told.get("round"), told.get("edit"), told.get("regions", [])
    if not isinstance(sample, str) or not isinstance(edit, str) or type(round) is not int or not _are_regions(regions):
        raise UnfitError("unknown_task", "the task does not say which sample and round it is of; was it made by hand?")
    return TaskLabel(sample, round, edit, tuple(region["text"] for region in regions))


def _are_regions(regions: object) -> bool:
    return isinstance(regions, list) and all(
        isinstance(each, Mapping) and isinstance(each.get("text"), str) for each in regions
    )


def vote_in(desk: ReviewProject, item: Item, slip: TaskLabel, result: object) -> VoteCommand:
    """The vote that an annotation's result is; `UnfitError` where it is none."""
    if slip.edit != item.edit:
        raise UnfitError("other_edit", f"the task shows the edit {slip.edit[:12]}, the sample's is {item.edit[:12]}")
    if not isinstance(result, list) or not all(isinstance(each, Mapping) for each in result):
        raise UnfitError("malformed", "the annotation has no list of results")
    group = desk.voter.removeprefix("group:")
    match desk.step:
        case "pilot":
            return RatePilot(item.id, slip.round, _ratings(result))
        case "score":
            return Rate(item.id, slip.round, group, _ratings(result))
        case "boxes":
            return Draw(item.id, slip.round, group, _boxes(item, result))
        case "screen":
            yes = _choice(result, ANSWERS) == ANSWERS[0]
            _nothing_else(result, ("verdict", "note"))
            return Screen(item.id, slip.round, group, yes, _text(result, "note"))
    return _check(item, slip, result)


def _ratings(result: Sequence[Result]) -> Ratings:
    found = {}
    for scale in SCALES:
        value = _one(result, scale, "rating", "rating")
        if type(value) is not int or not 1 <= value <= 3:
            raise UnfitError("bad_rating", f"{SCALES[scale]} is {value!r}"[:200] + ", expected 1, 2 or 3")
        found[scale] = value
    _nothing_else(result, SCALES)
    return Ratings(**found)


def _boxes(item: Item, result: Sequence[Result]) -> tuple[Box, ...]:
    _nothing_else(result, ("boxes",))
    return tuple(_box(item, number, each) for number, each in enumerate(result, start=1))


def _box(item: Item, number: int, drawn: Result) -> Box:
    value = drawn.get("value")
    if drawn.get("type") != "rectanglelabels" or not isinstance(value, Mapping):
        raise UnfitError("malformed", f"result {number} is no box: {drawn.get('type')!r}"[:200])
    size = drawn.get("original_width"), drawn.get("original_height")
    if size != (item.width, item.height):
        words = f"box {number} was drawn on {size[0]!r}×{size[1]!r} pixels"[:200]
        raise UnfitError("wrong_size", f"{words}, the page has {item.width}×{item.height}")
    if drawn.get("image_rotation", 0) != 0 or value.get("rotation", 0) != 0:
        raise UnfitError("rotated", f"box {number} is rotated, or was drawn on a rotated image")
    if value.get("rectanglelabels") != [CHANGED]:
        raise UnfitError("malformed", f"box {number} has the labels {value.get('rectanglelabels')!r}"[:200])
    sides: list[Any] = [value.get(name) for name in ("x", "y", "width", "height")]
    if any(type(side) not in (int, float) or not isfinite(side) or abs(side) > 1e6 for side in sides):
        raise UnfitError("malformed", f"box {number} is {sides!r}"[:200] + ", expected four numbers in percent")
    return pixels(sides, Size(item.width, item.height))


def pixels(percent: Sequence[float], page: Size) -> Box:
    """A box in percent, as drawn with a mouse, in whole pixels: every side goes to the nearest.

    >>> pixels((10.1, 10, 25, 10.2), Size(400, 300))
    Box(x1=40, y1=30, x2=140, y2=61)
    """
    x, y, width, height = percent
    return Box(*(floor(side + 0.5) for side in Box.from_percent(x, y, width, height, page)))


def _check(item: Item, slip: TaskLabel, result: Sequence[Result]) -> Check:
    verdict, note = _choice(result, CHECKS), _text(result, "note")
    names = [f"text_{number}" for number in range(len(slip.texts))]
    _nothing_else(result, ("verdict", "note", *names))
    given = {name for name in names if any(each.get("from_name") == name for each in result)}
    texts = tuple(_text(result, name) if name in given else read for name, read in zip(names, slip.texts, strict=True))
    if verdict == "correct" and texts != slip.texts:
        raise UnfitError("bad_verdict", "says correct, but a text was changed: is it corrected?")
    if verdict != "corrected":
        return Check(item.id, slip.round, verdict, (), note)
    for name, read in zip(names, slip.texts, strict=True):
        if read and name not in given:  # of a text that was deleted nothing is sent, as of one that was never touched
            raise UnfitError("bad_verdict", f"says corrected, but {name} is gone: expected what stands in the region")
    if texts == slip.texts:
        raise UnfitError("bad_verdict", "says corrected, but no text was changed")
    return Check(item.id, slip.round, verdict, texts, note)


def _choice(result: Sequence[Result], answers: tuple[str, ...]) -> str:
    chosen = _one(result, "verdict", "choices", "choices")
    if not isinstance(chosen, list) or len(chosen) != 1 or chosen[0] not in answers:
        raise UnfitError("bad_verdict", f"the answer is {chosen!r}"[:200] + f", expected one of {', '.join(answers)}")
    return str(chosen[0])


def _text(result: Sequence[Result], name: str) -> str:
    """What stands in a field; Label Studio sends nothing of a field that is empty."""
    if not any(each.get("from_name") == name for each in result):
        return ""
    text = _one(result, name, "textarea", "text")
    lines = [text] if isinstance(text, str) else text
    if not isinstance(lines, list) or not all(isinstance(line, str) for line in lines):
        raise UnfitError("malformed", f"{name} is {text!r}"[:200] + ", expected text")
    return "\n".join(lines)


def _one(result: Sequence[Result], name: str, kind: str, field: str) -> object:
    """The value of a control that is used once."""
    found = [each for each in result if each.get("from_name") == name]
    if len(found) != 1:
        raise UnfitError("malformed", f"{name} was given {len(found)} times, expected once")
    value = found[0].get("value")
    if found[0].get("type") != kind or not isinstance(value, Mapping):
        raise UnfitError("malformed", f"{name} is of type {found[0].get('type')!r}"[:200] + f", expected {kind}")
    return value.get(field)


def _nothing_else(result: Sequence[Result], names: Sequence[str] | Mapping[str, str]) -> None:
    other = [each.get("from_name") for each in result if each.get("from_name") not in names]
    if other:
        raise UnfitError("malformed", f"holds {other[0]!r}"[:200] + f", expected {', '.join(names)} alone")
