"""Which places of a text a request means: every one, the second one, those in a line or in the heading."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeVar

from vdebench.changes.targets import Target, find_targets
from vdebench.changes.words import PlacedText, compared
from vdebench.instructions.place import HEADING
from vdebench.instructions.request import EditRequest

_Item = TypeVar("_Item")
LARGER = 1.15
"""Ratio of heights from which the largest type is a heading."""


class MeantPlaces(NamedTuple):
    """The places of the text of a request."""

    targets: tuple[Target, ...]
    """The places that are meant; if only one is, the likeliest first."""
    optional: tuple[Target, ...] = ()
    """Places that may be meant too, inside longer words, where every place is."""
    unclear: bool = False
    """Whether one of the places is meant, and the page does not tell which."""


def find_places(request: EditRequest, lines: Sequence[PlacedText]) -> MeantPlaces:
    """Return the places that a request means."""
    found = find_targets(request, lines)
    if len(found) < 2 or request.in_cell:
        return MeantPlaces(tuple(found), unclear=bool(found) and abs(request.occurrence) > 1)
    unclear = bool(request.within) and not find_targets(EditRequest("delete", request.within), lines)
    rows = _rows(lines)
    if request.place:
        headings = _largest(found) if HEADING.fullmatch(request.place) else []
        found, unclear = headings or found, unclear or not headings
    if request.line:
        row = [number for numbers in _nth(rows, request.line) for number in numbers]
        inside = [each for each in found if each.parts[0][0] in row]
        found, unclear = inside or found, unclear or not inside
    whole = [each for each in found if _is_whole(each, lines)] or found
    if request.occurrence:
        by_rows, by_lines = (
            list(_nth(sorted(whole, key=key), request.occurrence)) for key in (_row_key(rows), _line_key)
        )
        unclear = unclear or not by_rows or by_rows != by_lines or len(whole) < len(found)
        found = found if unclear else list(by_rows)
    if request.everywhere and not unclear:
        return MeantPlaces(tuple(whole), tuple(each for each in found if each not in whole))
    return MeantPlaces(tuple(found), unclear=unclear and len(found) > 1)


def read_places(text: str, lines: Sequence[PlacedText]) -> list[Target]:
    """Return the places where lines have exactly a text, also over several lines; not as a part of a longer number."""
    wanted = compared(text).characters
    places = find_targets(EditRequest("delete", text), lines) if wanted else []
    return [each for each in places if not each.inside_number and wanted in _spellings(each.text)]


def _spellings(text: str) -> tuple[str, str]:
    """Return the characters of a text, also without the hyphens that may divide words at the ends of lines."""
    characters = compared(text).characters
    return characters, characters.replace("-", "")


def _nth(items: Sequence[_Item], number: int) -> Sequence[_Item]:
    """Return an item by its number from 1, or from the end by a negative number; empty if there is none."""
    at = number - 1 if number > 0 else len(items) + number
    return items[at : at + 1] if at >= 0 else ()


def _rows(lines: Sequence[PlacedText]) -> list[list[int]]:
    """Return the numbers of the lines of each row of the page, from top to bottom."""
    rows: list[list[int]] = []
    for number in sorted(range(len(lines)), key=lambda each: lines[each].box.y1 + lines[each].box.y2):
        box = lines[number].box
        last = lines[rows[-1][-1]].box if rows else None
        if last is not None and (box.y1 + box.y2) / 2 < last.y2 - 0.25 * (box.y2 - box.y1):
            rows[-1].append(number)
        else:
            rows.append([number])
    return rows


def _row_key(rows: Sequence[Sequence[int]]) -> Callable[[Target], tuple[float, ...]]:
    row_of = {number: row for row, numbers in enumerate(rows) for number in numbers}
    return lambda target: (row_of[target.parts[0][0]], target.boxes[0].x1)


def _line_key(target: Target) -> tuple[float, ...]:
    number, span = target.parts[0]
    return number, span.start


def _largest(targets: Sequence[Target]) -> list[Target]:
    """Return the target in the largest type, if no other one is nearly as large."""
    first, second, *_ = sorted(targets, key=lambda each: -each.height)
    return [first] if first.height >= LARGER * second.height else []


def _is_whole(target: Target, lines: Sequence[PlacedText]) -> bool:
    """Whether a target is no part of a longer word."""
    (first, start), (last, stop) = target.parts[0], target.parts[-1]
    before, after = lines[first].text.text[: start.start], lines[last].text.text[stop.stop :]
    own = lines[first].text.text[start.start : start.start + 1], lines[last].text.text[stop.stop - 1 : stop.stop]
    return not (_joins(before[-1:], own[0]) or _joins(own[1], after[:1]))


def _joins(one: str, other: str) -> bool:
    """Whether two neighbouring characters are of one word; Chinese characters never are."""
    return all(each.isalnum() and not "\u2e80" <= each <= "\U0003ffff" for each in (one, other) if each) and bool(
        one and other
    )
