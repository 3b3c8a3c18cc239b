"""Convert annotations to commands. Label Studio does not validate annotations, so everything is checked here."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import floor, isfinite
from typing import Any, NamedTuple

from vdebench.core.box import Box, Size
from vdebench.review.label_studio.configs import ANSWERS, CHANGED
from vdebench.review.label_studio.projects import ReviewProject
from vdebench.review.ratings import SCALES, Ratings
from vdebench.review.state import Item
from vdebench.review.step import VoteCommand
from vdebench.review.workflow import WORKFLOW

Result = Mapping[str, Any]


class UnfitError(Exception):
    """An annotation that is not a valid vote, with the reason."""

    def __init__(self, reason: str, words: str) -> None:
        super().__init__(words)
        self.reason, self.words = reason, words


class TaskLabel(NamedTuple):
    """The sample, round and edit of a task."""

    sample: str
    round: int
    edit: str
    texts: tuple[str, ...] = ()
    """OCR text of the regions, as the task shows it."""


def task_label(data: object) -> TaskLabel:
    """Read the label from the data of a task.

    >>> task_label({"sample": "a", "round": 2, "edit": "9f86"})
    TaskLabel(sample='a', round=2, edit='9f86', texts=())
    """
    values = data if isinstance(data, Mapping) else {}
    sample, round, edit = values.get("sample"), values.get("round"), values.get("edit")
    regions = values.get("regions", [])
    if not isinstance(sample, str) or not isinstance(edit, str) or type(round) is not int or not _are_regions(regions):
        raise UnfitError("unknown_task", "the task has no sample, round or edit; was it created by hand?")
    return TaskLabel(sample, round, edit, tuple(region["text"] for region in regions))


def _are_regions(regions: object) -> bool:
    return isinstance(regions, list) and all(
        isinstance(each, Mapping) and isinstance(each.get("text"), str) for each in regions
    )


def vote_in(project: ReviewProject, item: Item, label: TaskLabel, result: object) -> VoteCommand:
    """Return the vote in the result of an annotation; raise `UnfitError` if it is not a valid one."""
    if label.edit != item.edit:
        raise UnfitError("other_edit", f"the task shows the edit {label.edit[:12]}, the sample has {item.edit[:12]}")
    if not isinstance(result, list) or not all(isinstance(each, Mapping) for each in result):
        raise UnfitError("malformed", "the annotation has no list of results")
    step = WORKFLOW[project.step]
    _nothing_else(result, [name for field in step.form.fields for name in _controls(field, label)])
    readers: dict[str, Callable[[], object]] = {
        "ratings": lambda: _ratings(result),
        "boxes": lambda: tuple(_box(item, number, each) for number, each in enumerate(result, start=1)),
        "yes": lambda: _choice(result, ANSWERS) == ANSWERS[0],
        "verdict": lambda: _choice(result, step.form.answers),
        "texts": lambda: _texts(label, result, _choice(result, step.form.answers)),
        "note": lambda: _text(result, "note"),
    }
    values = {field: readers[field]() for field in step.form.fields}
    if step.voters == "group":
        values["group"] = project.voter.removeprefix("group:")
    return step.command(item.id, label.round, **values)


def _controls(field: str, label: TaskLabel) -> list[str]:
    """Return the names of the Label Studio controls of a form field."""
    if field == "texts":
        return [f"text_{number}" for number in range(len(label.texts))]
    return {"ratings": list(SCALES), "yes": ["verdict"]}.get(field, [field])


def _ratings(result: Sequence[Result]) -> Ratings:
    ratings = {}
    for scale in SCALES:
        value = _one(result, scale, "rating", "rating")
        if type(value) is not int or not 1 <= value <= 3:
            raise UnfitError("bad_rating", f"{SCALES[scale]} is {value!r}"[:200] + ", expected 1, 2 or 3")
        ratings[scale] = value
    return Ratings(**ratings)


def _box(item: Item, number: int, drawn: Result) -> Box:
    value = drawn.get("value")
    if drawn.get("type") != "rectanglelabels" or not isinstance(value, Mapping):
        raise UnfitError("malformed", f"result {number} is not a box: {drawn.get('type')!r}"[:200])
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
    """Convert a box from percent to pixels, rounding each side to the nearest pixel.

    >>> pixels((10.1, 10, 25, 10.2), Size(400, 300))
    Box(x1=40, y1=30, x2=140, y2=61)
    """
    x, y, width, height = percent
    return Box(*(floor(side + 0.5) for side in Box.from_percent(x, y, width, height, page)))


def _texts(label: TaskLabel, result: Sequence[Result], verdict: str) -> tuple[str, ...]:
    """Return the corrected texts; empty unless the verdict is `corrected`."""
    names = _controls("texts", label)
    sent = {name for name in names if any(each.get("from_name") == name for each in result)}
    texts = tuple(_text(result, name) if name in sent else ocr for name, ocr in zip(names, label.texts, strict=True))
    if verdict == "correct" and texts != label.texts:
        raise UnfitError("bad_verdict", "the verdict is correct, but a text was changed; choose corrected")
    if verdict != "corrected":
        return ()
    for name, ocr in zip(names, label.texts, strict=True):
        if ocr and name not in sent:  # Label Studio sends nothing for a deleted text
            raise UnfitError("bad_verdict", f"the verdict is corrected, but {name} is empty; enter its text")
    if texts == label.texts:
        raise UnfitError("bad_verdict", "the verdict is corrected, but no text was changed")
    return texts


def _choice(result: Sequence[Result], answers: tuple[str, ...]) -> str:
    chosen = _one(result, "verdict", "choices", "choices")
    if not isinstance(chosen, list) or len(chosen) != 1 or chosen[0] not in answers:
        raise UnfitError("bad_verdict", f"the answer is {chosen!r}"[:200] + f", expected one of {', '.join(answers)}")
    return str(chosen[0])


def _text(result: Sequence[Result], name: str) -> str:
    """Return the text of a field; Label Studio sends nothing for an empty one."""
    if not any(each.get("from_name") == name for each in result):
        return ""
    text = _one(result, name, "textarea", "text")
    lines = [text] if isinstance(text, str) else text
    if not isinstance(lines, list) or not all(isinstance(line, str) for line in lines):
        raise UnfitError("malformed", f"{name} is {text!r}"[:200] + ", expected text")
    return "\n".join(lines)


def _one(result: Sequence[Result], name: str, kind: str, field: str) -> object:
    """Return the value of a control; raise `UnfitError` unless it occurs exactly once."""
    found = [each for each in result if each.get("from_name") == name]
    if len(found) != 1:
        raise UnfitError("malformed", f"{name} occurs {len(found)} times, expected once")
    value = found[0].get("value")
    if found[0].get("type") != kind or not isinstance(value, Mapping):
        raise UnfitError("malformed", f"{name} is of type {found[0].get('type')!r}"[:200] + f", expected {kind}")
    return value.get(field)


def _nothing_else(result: Sequence[Result], names: Sequence[str]) -> None:
    other = [each.get("from_name") for each in result if each.get("from_name") not in names]
    if other:
        raise UnfitError("malformed", f"contains {other[0]!r}"[:200] + f", expected only {', '.join(names)}")
