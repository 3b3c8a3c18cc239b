"""Lines that cannot be read: type that is too small, a script without letters in the model, text that is uncertain.

The recogniser has a dictionary of Latin, Chinese, Japanese and some Greek letters. On other scripts it returns spaces,
or a few letters that happen to look similar, so much of the line's ink is left over. Ink that no character accounts for
is therefore the sign of an unknown script; the probability of a space can be high. docs/readers.md has the
measurements.
"""

from __future__ import annotations

from typing import NamedTuple

import cv2
import numpy as np
import regex
from numpy.typing import NDArray

from vdebench.core.images import Image
from vdebench.core.page_text import UnreadReason
from vdebench.readers.lines.images import SINGLE, TALL
from vdebench.readers.lines.recognition import RecognizedLine
from vdebench.readers.lines.text import FULL_WIDTH


class LegibilityLimits(NamedTuple):
    """Limits beyond which a line is not read, chosen by measurement."""

    height: float = 9.0
    """Lines lower than this, in pixels, are illegible: less than half of their characters are right …"""
    sure: float = 0.9
    """… unless their mean probability is at least this, which is rare and then mostly right."""
    small: float = 14.0
    """Lower lines that cannot be read are illegible, whatever the sign: small type loses letters, so ink is left over.
    The detector makes the boxes of small type too high, 8 to 13 pixels for type of 4 to 8, so height alone decides
    little."""
    confidence: float = 0.65
    """Least mean probability of the characters of a line that is text. Below, at most half of them are right."""
    unread_ink: float = 0.1
    """Largest share of a line's ink that lies outside its characters. 95 % of lines of known scripts have none."""
    unread_ink_if_sure: float = 0.3
    """The same for a mean probability of at least `sure`: very wide letters, or a picture beside the text. Where the
    recogniser is as sure of the spaces it reads in place of Russian words, the share is above .5."""
    glyph: float = 0.2
    """Least height of the ink of a letter, in line heights; rules and dots are lower and count for nothing."""
    full_width: float = 1.5
    half_width: float = 1.1
    space: float = 0.6
    """Greatest widths of ink that a character accounts for, in line heights; at a space it is its neighbours' ink."""

    @property
    def identity(self) -> str:
        """All limits."""
        return f"limits {','.join(f'{value:g}' for value in self)}"


LIMITS = LegibilityLimits()
_BACKGROUND = 0.9
"""Share of a row or column from which its ink is no letter but background."""
_INK = 40
"""Least difference of grey levels between ink and paper."""
_GREEK_WORD = regex.compile(r"\p{Greek}{4}")
"""Four Greek letters in a row are a word, not a formula; the dictionary has no letters with accents, so it is wrong."""
_VIETNAMESE = regex.compile(r"[ơưƠƯạẠồỒ]|[đĐ].*[âêôăãõàèìòùĩũý]|[âêôăãõàèìòùĩũý].*[đĐ]")
"""Letters of Vietnamese alone, or together. The dictionary has few of its letters with two accents."""


def unread_reason(line: Image, text: RecognizedLine, limits: LegibilityLimits = LIMITS) -> UnreadReason | None:
    """Return why the text of a line is unknown; None if the recogniser's text is right, or if there are no letters."""
    left_over = unread_ink(line, text, limits)
    if not text.text.strip() and not left_over:
        return None  # a rule or a picture without letters
    height = line_height(line)
    most = limits.unread_ink if text.score < limits.sure else limits.unread_ink_if_sure
    unknown = left_over > most or _GREEK_WORD.search(text.text) or _VIETNAMESE.search(text.text)
    uncertain = text.score < limits.confidence
    if (height < limits.height and text.score < limits.sure) or (height < limits.small and (unknown or uncertain)):
        return "illegible"
    return "unknown script" if unknown else "low confidence" if uncertain else None


def line_height(line: Image) -> int:
    """Return the height of the type of a line in pixels: the width of a vertical line."""
    height, width = line.shape[:2]
    return int(width if height >= TALL * width else height)


def unread_ink(line: Image, text: RecognizedLine, limits: LegibilityLimits = LIMITS) -> float:
    """Return the share of a line's ink (of its columns) that its characters do not account for.

    >>> line = np.full((20, 200, 3), 255, np.uint8)
    >>> line[4:16, 10:190:2] = 0  # 90 columns of ink
    >>> unread_ink(line, RecognizedLine("a b", (0.0, 0.1, 0.9, 1.0), (0.9, 0.9, 0.9)))  # the space has 80, may have 12
    0.756
    """
    height, width = line.shape[:2]
    rotations = [line] if height < TALL * width else [np.rot90(line), np.rot90(line, -1)]
    if TALL * width <= height < SINGLE * width:
        rotations.append(line)  # a tall line may have been read as it is, or turned either way
    return min(_unread_share(each, text, line_height(line), limits) for each in rotations)


def _unread_share(line: Image, text: RecognizedLine, height: int, limits: LegibilityLimits) -> float:
    ink = _ink_columns(line, limits.glyph)
    total = int(ink.sum())
    if not total or not text.text:
        return float(total > 0)
    places = np.round(np.array(text.edges) * len(ink)).astype(int)
    places[0], places[-1] = 0, len(ink)  # the recogniser places characters by their middle, not by their outer edges
    inside = np.diff(np.concatenate([[0], np.cumsum(ink)])[places])
    room = height * np.array([_room(character, limits) for character in text.text])
    return round(float(np.maximum(0, inside - room).sum()) / total, 3)


def _room(character: str, limits: LegibilityLimits) -> float:
    if character.isspace():
        return limits.space
    return limits.full_width if FULL_WIDTH.match(character) else limits.half_width


def _ink_columns(line: Image, least: float) -> NDArray[np.bool_]:
    """Return for each column whether its ink, from the highest to the lowest pixel, is as high as a letter may be."""
    grey = cv2.cvtColor(np.ascontiguousarray(line), cv2.COLOR_RGB2GRAY).astype(np.int16)
    ink = np.abs(grey - int(np.median(grey))) > _INK
    ink[ink.mean(1) > _BACKGROUND] = False  # the page above and below a coloured bar with text
    ink[:, ink.mean(0) > _BACKGROUND] = False
    extent = len(ink) - ink.argmax(0) - ink[::-1].argmax(0)
    columns: NDArray[np.bool_] = ink.any(0) & (extent >= least * len(ink))
    return columns
