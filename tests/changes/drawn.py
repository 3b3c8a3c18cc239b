"""Small pages of text drawn with PIL, and what editors do to a whole page."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence

import cv2
import numpy as np
from PIL import Image as Pictures
from PIL import ImageDraw, ImageFont

from tests.readers.rendered import FONT
from vdebench.core.box import Box
from vdebench.core.images import Image

LINES = (
    "Harbour office, northern pier",
    "Opening hours: 8:30 to 17:45",
    "The ferry costs 21.88 per car",
    "and 4.20 for each passenger.",
    "Visitors find the museum of",
    "navigation behind the bridge.",
    "轮渡每天早上八点出发。",
    "Invoice AB-1723 of 5 May 2024",
)
SIZE = 26
LEFT, TOP, LEADING = 40, 34, 44
WIDTH, HEIGHT = 480, 420
INK = (20, 20, 20)
RULE = Box(40, 386, 440, 389)


def line_top(row: int) -> int:
    """Top of the box of a line's glyphs, with room for accents."""
    return TOP + LEADING * row


def draw(
    lines: Sequence[str] = LINES,
    *,
    colours: Mapping[str, tuple[int, int, int]] | None = None,
    rule: bool = True,
    width: int = WIDTH,
    height: int = HEIGHT,
) -> Image:
    """A page of lines below each other and a rule at its end; `colours` are of single words."""
    face = ImageFont.truetype(str(FONT), SIZE)
    image = Pictures.new("RGB", (width, height), (252, 251, 248))
    canvas = ImageDraw.Draw(image)
    for row, text in enumerate(lines):
        x = float(LEFT)
        for word in _with_spaces(text):
            colour = (colours or {}).get(word.strip(), INK)
            canvas.text((x, line_top(row) - 8), word, font=face, fill=colour)
            x += face.getlength(word)
    if rule:
        canvas.rectangle((RULE.x1, RULE.y1, RULE.x2 - 1, RULE.y2 - 1), fill=INK)
    return np.asarray(image, np.uint8)


def draw_table(rows: Sequence[Sequence[str]], *, ruled: bool = True) -> Image:
    """A page with a table of cells of 80 × 26 pixels."""
    face = ImageFont.truetype(str(FONT), 16)
    image = Pictures.new("RGB", (80 * len(rows[0]) + 80, 26 * len(rows) + 80), "white")
    canvas = ImageDraw.Draw(image)
    for row, cells in enumerate(rows):
        for column, text in enumerate(cells):
            x, y = 40 + 80 * column, 40 + 26 * row
            if ruled:
                canvas.rectangle((x, y, x + 80, y + 26), outline=(40, 120, 80))
            canvas.text((x + 40, y + 13), text, font=face, fill=INK, anchor="mm")
    return np.asarray(image, np.uint8)


def word_box(text: str, word: str, row: int) -> Box:
    """Where a word of a line stands."""
    face = ImageFont.truetype(str(FONT), SIZE)
    start = LEFT + face.getlength(text[: text.index(word)])
    return Box(start, line_top(row), start + face.getlength(word), line_top(row) + 28)


def with_line(row: int, text: str) -> list[str]:
    """The lines with another text in one row."""
    return [*LINES[:row], text, *LINES[row + 1 :]]


def jpeg(image: Image, quality: int = 75) -> Image:
    buffer = io.BytesIO()
    Pictures.fromarray(image).save(buffer, "JPEG", quality=quality)
    return np.asarray(Pictures.open(buffer).convert("RGB"), np.uint8)


def resized(image: Image, width: int, height: int) -> Image:
    return np.asarray(Pictures.fromarray(image).resize((width, height), Pictures.Resampling.LANCZOS), np.uint8)


def warped(image: Image, scale: float = 1.0, shift: tuple[float, float] = (0, 0), degrees: float = 0.0) -> Image:
    """The page enlarged and turned clockwise about its centre, then shifted, in a frame of the same size."""
    height, width = image.shape[:2]
    matrix = cv2.getRotationMatrix2D(((width - 1) / 2, (height - 1) / 2), -degrees, scale)
    matrix[:, 2] += shift
    paper = tuple(int(value) for value in image[0, 0])
    return np.asarray(
        cv2.warpAffine(image, matrix, (width, height), flags=cv2.INTER_CUBIC, borderValue=paper), np.uint8
    )


def blank(width: int = WIDTH, height: int = HEIGHT, grey: int = 252) -> Image:
    return np.full((height, width, 3), grey, np.uint8)


def noise(width: int = WIDTH, height: int = HEIGHT) -> Image:
    grey = np.random.default_rng(0).integers(0, 256, (height, width, 1), np.uint8)
    return np.repeat(grey, 3, axis=2)


def _with_spaces(text: str) -> list[str]:
    words = text.split(" ")
    return [f"{word} " for word in words[:-1]] + words[-1:]
