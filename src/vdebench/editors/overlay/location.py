"""Lines of a page in paragraphs, and the position of quoted text."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import regex
from rapidfuzz.fuzz import partial_ratio_alignment

from vdebench.core.box import Box
from vdebench.core.images import Image
from vdebench.editors.overlay.paragraphs import paragraphs_of
from vdebench.instructions.request import NotUnderstoodError
from vdebench.readers.layout.grouping import center_inside, typical_line_height
from vdebench.readers.lines.line import Line
from vdebench.readers.tables.ruled_lines import RuledLines, find_ruled_lines, find_tables

_SAME = str.maketrans("“”„«»‘’‚′—–−‐‑", '"""""\'\'\'\'-----')
_DROPPED = regex.compile(r"[\s·•▪■●◦‣∙□]")
_WORD = regex.compile(r"[^\W_]")
_HAN = regex.compile(r"\p{Han}")
LIKE = 88.0
"""Minimum similarity of OCR output and quotation in percent, if they are not equal."""
_LEAST = 6
"""Minimum length of text for similar matches; shorter text must be equal."""


class TextSpan(NamedTuple):
    """A range of a paragraph's text: from a letter of a line up to, but excluding, a letter of a line."""

    line: int
    start: int
    last_line: int
    end: int


@dataclass(frozen=True, eq=False)
class Paragraph:
    """Lines that belong together, from top to bottom."""

    lines: tuple[Line, ...]
    in_table: bool = False

    @property
    def box(self) -> Box:
        """Box around its lines."""
        return Box.around(line.box for line in self.lines)

    @property
    def height(self) -> float:
        """Typical line height."""
        return typical_line_height(self.lines)

    @cached_property
    def letters(self) -> list[tuple[str, int, int]]:
        """Letters that are compared, each with its line and index."""
        return [
            (folded, number, place)
            for number, line in enumerate(self.lines)
            for place, letter in enumerate(line.text)
            for folded in fold(letter)
        ]

    @cached_property
    def unbroken(self) -> list[tuple[str, int, int]]:
        """The letters without hyphens at line ends."""
        ends = [len(line.text.rstrip()) - 1 for line in self.lines[:-1]]
        return [
            each for each in self.letters if not (each[0] == "-" and each[1] < len(ends) and each[2] == ends[each[1]])
        ]


def fold(text: str) -> str:
    """Fold letters for comparison: one width, one kind of quotation marks and dashes.

    >>> fold("“ＡＢ” （1）, x–y")
    '"AB"(1),x-y'
    """
    return _DROPPED.sub("", unicodedata.normalize("NFKC", text.translate(_SAME)).translate(_SAME))


class OverlayPage:
    """Lines of a page, in paragraphs and tables."""

    def __init__(self, image: Image, lines: Sequence[Line]) -> None:
        self.image = image
        self.lines = list(lines)
        self.height = typical_line_height(self.lines) or 1.0
        self.rules: RuledLines = find_ruled_lines(image, self.height)
        self.tables = find_tables(self.lines, self.rules, self.height)
        inside = [[line for line in self.lines if center_inside(line.box, box)] for box in self.tables]
        in_tables = {id(line) for lines in inside for line in lines}
        others = [line for line in self.lines if id(line) not in in_tables]
        self.paragraphs = [
            *(Paragraph(tuple(group)) for group in paragraphs_of(image, others, self.tables)),
            *(Paragraph((line,), True) for lines in inside for line in lines),
        ]

    def find(self, text: str, within: str = "", begins: bool = False) -> tuple[Paragraph, TextSpan]:
        """Return the only position of a text; raise `NotUnderstoodError` if there is none or more than one.

        `within` is a longer text around it; with `begins`, a paragraph must start with it.
        """
        wanted = fold(text)
        if not wanted:
            raise NotUnderstoodError(f"{text!r} contains no searchable letters")
        for search in (_same, _like):
            found = [(paragraph, *span) for paragraph in self.paragraphs for span in search(paragraph, wanted)]
            if begins:
                found = [each for each in found if each[2] <= (2 if search is _like else 1)]
            if within:
                found = [each for each in found if _inside(each, fold(within))]
            if len(found) > 1:
                found = _whole_words(found) or found
            if len(found) == 1:
                paragraph, letters, start, end = found[0]
                return paragraph, TextSpan(*letters[start][1:], letters[end - 1][1], letters[end - 1][2] + 1)
            if found:
                raise NotUnderstoodError(f"{_short(text)} occurs {len(found)} times on the page")
        raise NotUnderstoodError(f"{_short(text)} was not found on the page")


Letters = list[tuple[str, int, int]]
Found = tuple[Paragraph, Letters, int, int]


def _same(paragraph: Paragraph, wanted: str) -> list[tuple[Letters, int, int]]:
    """Return exact matches in a paragraph, ignoring hyphens at line ends."""
    for letters in (paragraph.letters, paragraph.unbroken):
        text = "".join(each[0] for each in letters)
        found = [(letters, hit.start(), hit.end()) for hit in regex.finditer(regex.escape(wanted), text)]
        if found:
            return found
    return []


def _like(paragraph: Paragraph, wanted: str) -> list[tuple[Letters, int, int]]:
    """Return similar text in a paragraph."""
    letters = paragraph.unbroken
    text = "".join(each[0] for each in letters)
    if len(wanted) < _LEAST or len(text) < 0.8 * len(wanted):
        return []
    if len(text) < len(wanted):  # OCR omitted letters
        best = partial_ratio_alignment(wanted, text, score_cutoff=LIKE)
        return [(letters, 0, len(text))] if best else []
    best = partial_ratio_alignment(wanted, text, score_cutoff=LIKE)
    return [(letters, best.dest_start, best.dest_end)] if best and best.dest_end > best.dest_start else []


def _inside(found: Found, around: str) -> bool:
    _, letters, start, end = found
    text = "".join(each[0] for each in letters)
    best = partial_ratio_alignment(around, text, score_cutoff=LIKE)
    return best is not None and best.dest_start <= start and end <= best.dest_end


def _whole_words(found: list[Found]) -> list[Found]:
    """Keep spans that do not start or end inside a word or number."""
    kept = []
    for paragraph, letters, start, end in found:
        if not (_runs_on(paragraph, letters, start - 1) or _runs_on(paragraph, letters, end - 1)):
            kept.append((paragraph, letters, start, end))
    return kept


def _runs_on(paragraph: Paragraph, letters: Letters, index: int) -> bool:
    """Whether a word continues from a letter to the next."""
    if index < 0 or index + 1 >= len(letters):
        return False
    (one, line, place), (other, next_line, next_place) = letters[index], letters[index + 1]
    touching = line == next_line and next_place - place <= 1
    wordly = _WORD.match(one) and _WORD.match(other) and not _HAN.match(one) and not _HAN.match(other)
    return bool(touching and wordly)


def _short(text: str) -> str:
    return f"“{text if len(text) <= 40 else text[:38] + '…'}”"
