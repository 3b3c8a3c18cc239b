"""Small pages for tests of the pipeline, in a font that a reader of a few lines reads without error.

A letter is 12×24 pixels: a bar on the left, then its code in sixteen fields. An editor that writes in the same font
carries out what the overlay editor's grammar understands.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from PIL import Image

from vdebench.core.box import Box, Size
from vdebench.core.page_text import Block, PageText
from vdebench.editors.editor import Edit, Editor
from vdebench.instructions.request import parse
from vdebench.readers.reader import Reader

WIDE, HIGH, LEFT, TOP, STEP = 12, 24, 24, 36, 60
LINES = {
    "harbour": ["Harbour report of May 2023", "The quiet office counted 412 vessels", "and closed early on Friday"],
    "library": ["Library hours in winter", "Doors open at nine every morning", "Readers bring 18 books back"],
    "mill": ["The old mill by the river", "Flour was sold for 35 coins", "Visitors come in April"],
}


def letter(code: int) -> np.ndarray:
    drawn = np.full((HIGH, WIDE), 255, np.uint8)
    if code == ord(" "):
        return drawn
    drawn[:, 0:3] = 0
    for bit in range(16):
        if code >> bit & 1:
            x, y = 4 + 4 * (bit // 8), 3 * (bit % 8)
            drawn[y : y + 3, x : x + 4] = 0
    return drawn


def draw(lines: list[str], width: int = 600) -> np.ndarray:
    page = np.full((TOP + STEP * len(lines), width, 3), 255, np.uint8)
    for number, line in enumerate(lines):
        write_line(page, TOP + number * STEP, line)
    return page


def write_line(page: np.ndarray, y: int, line: str) -> None:
    page[y : y + HIGH] = 255
    for place, character in enumerate(line):
        x = LEFT + place * WIDE
        page[y : y + HIGH, x : x + WIDE] = letter(ord(character))[:, :, None]


def read_lines(page: np.ndarray) -> list[tuple[Box, str]]:
    """Lines by their rows of ink, letters by their pitch."""
    ink = page[:, :, 0] < 128
    rows = np.flatnonzero(ink.any(1))
    tops = [row for row in rows if row - 1 not in rows]
    found = []
    for top in tops:
        columns = np.flatnonzero(ink[top : top + HIGH].any(0))
        text = "".join(_letter(ink[top : top + HIGH, x : x + WIDE]) for x in range(columns[0], columns[-1] + 1, WIDE))
        end = columns[0] + len(text) * WIDE
        found.append((Box(float(columns[0]), float(top), float(end), float(top + HIGH)), text))
    return found


def _letter(field: np.ndarray) -> str:
    if not field.any():
        return " "
    bits = [(4 + 4 * (bit // 8) + 1, 3 * (bit % 8) + 1) for bit in range(16)]
    return chr(
        sum(1 << bit for bit, (x, y) in enumerate(bits) if x < field.shape[1] and y < len(field) and field[y, x])
    )


class CodeReader(Reader):
    """Reads the font; counts what it reads."""

    pages = 0

    @property
    def identity(self):
        return {"name": "code", "version": "1"}

    def read(self, image):
        CodeReader.pages += 1
        blocks = tuple(
            Block(box, text, "text", id=number, order=number) for number, (box, text) in enumerate(read_lines(image))
        )
        return PageText(blocks, Size(image.shape[1], image.shape[0]))


class CodeEditor(Editor):
    """Writes in the font; spoils pages as it is told: `second` place, `elsewhere`, `nothing`, `wrong` text."""

    waits = True

    def __init__(self, spoil: str = "", refuse: str = ""):
        self.spoil, self.refuse = spoil, refuse

    @property
    def identity(self):
        return {"name": "code", "version": "1", "spoil": self.spoil, "refuse": self.refuse}

    def edit(self, image, instruction, *, seed=0):
        if self.refuse and self.refuse in instruction:
            return Edit.refused("not allowed to")
        request, page = parse(instruction), image.copy()
        if self.spoil == "nothing":
            return Edit.of(page)
        for box, text in read_lines(image):
            if request.target in text:
                new = "oops" if self.spoil == "wrong" else request.new
                after = {"insert_after": f"{request.target} {new}", "insert_before": f"{new} {request.target}"}
                write_line(page, int(box.y1), text.replace(request.target, after.get(request.action, new)).rstrip())
        if self.spoil == "second":
            page[0:20, -60:-20] = 0
        return Edit.of(page)


def write_pages(folder: Path, names: list[str] | None = None) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for name in names or LINES:
        Image.fromarray(draw(LINES[name])).save(folder / f"{name}.png")
    return folder
