"""The embedded reader: RapidOCR with the PP-OCR models of its package, on OpenVINO or ONNX Runtime."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cached_property
from importlib.metadata import version
from importlib.util import find_spec
from typing import Any

import cv2
import numpy as np

from vdebench.core.box import Box, Size
from vdebench.core.images import Image
from vdebench.core.page_text import Block, PageText
from vdebench.errors import MissingPartError, VdeError
from vdebench.readers.line_grouping import GROUPING, Line, center_inside, group_lines, in_rows, typical_line_height
from vdebench.readers.line_text import join_lines, widen_punctuation
from vdebench.readers.reader import Reader, source_hash
from vdebench.readers.ruled_lines import TABLE_LIMITS, find_blanks, find_ruled_lines, find_tables
from vdebench.readers.tables import MARGINS, TableModel, read_table
from vdebench.registry import installed_version

INSTALL = "pip install rapidocr openvino   (or onnxruntime instead of openvino)"

CROP_SIDE = 736
"""Images whose shorter side is below this, in pixels, are treated as crops and get a margin."""
MARGIN = 32
"""Width of the margin in pixels."""
MIN_SIDE = 320
"""The engine enlarges images whose shorter side is below this before it detects lines. Its default, 736 pixels, makes
the crop of a single line larger than a page."""
MAX_SHRINK = 0.35
"""Largest distance, in line heights, by which each side of a block's box moves inwards to its ink."""
_INK_CONTRAST = 40
"""Smallest difference in grey levels between ink and paper."""


class RapidReader(Reader):
    """Lines by RapidOCR, grouped into blocks by layout; tables as HTML, or as rows of text without the table model."""

    def __init__(self, threads: int | str = 0, tables: bool | str = True) -> None:
        problem = self.missing()
        if problem:
            raise MissingPartError(problem)
        if not str(threads).isdigit() or str(tables).lower() not in ("true", "false"):
            raise VdeError(
                f"rapidocr: threads={threads!r}, tables={tables!r}: expected threads to be a number (0: "
                "OMP_NUM_THREADS, else all processors) and tables to be true or false"
            )
        self.engine = _installed_engine()
        self.threads = int(threads) or int(os.environ.get("OMP_NUM_THREADS") or 0)
        with_tables = str(tables).lower() == "true" and not TableModel.missing()
        self.tables = TableModel(self.threads) if with_tables else None

    @classmethod
    def missing(cls, **options: Any) -> str:
        """Return what is missing and how to install it, or ""."""
        if not installed_version("rapidocr"):
            return f"the reader rapidocr is not installed\n  {INSTALL}"
        return "" if _installed_engine() else f"rapidocr needs an inference engine\n  {INSTALL}"

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
            "name": "rapidocr",
            "version": installed_version("rapidocr"),
            "engine": f"{self.engine} {version(self.engine)}",
            "image": f"margin {MARGIN} below {CROP_SIDE}, least {MIN_SIDE}, tighter {MAX_SHRINK:g}",
            "blocks": GROUPING.identity,
            "rules": f"rules-1:{_format_values(TABLE_LIMITS)} {source_hash('rapid', 'ruled_lines', 'tables')}",
            "tables": f"{self.tables.identity}, margins {_format_values(MARGINS)}" if self.tables else "rows of text",
        }

    @cached_property
    def _rapidocr(self) -> Any:
        os.environ.setdefault("OPENVINO_TELEMETRY_OPT_OUT", "1")
        from rapidocr import EngineType, RapidOCR

        engine = EngineType(self.engine)
        threads = self.threads or -1
        key = "inference_num_threads" if self.engine == "openvino" else "intra_op_num_threads"
        parameters = {
            "Global.log_level": "error",
            "Global.use_cls": False,  # pages are upright; the classifier rotates some upright lines
            "Det.engine_type": engine,
            "Det.limit_side_len": MIN_SIDE,
            "Rec.engine_type": engine,
            f"EngineConfig.{self.engine}.{key}": threads,
            # With pinning, two single-threaded processes share one processor.
            **({"EngineConfig.openvino.enable_cpu_pinning": False} if self.engine == "openvino" else {}),
        }
        return RapidOCR(params=parameters)

    def lines(self, image: Image) -> list[Line]:
        """Detect and recognise the lines of a page or a crop."""
        margin = crop_margin(image)
        return [_shift_line(line, -margin) for line in self._lines(add_margin(image, margin))]

    def _lines(self, image: Image) -> list[Line]:
        result = self._rapidocr(np.ascontiguousarray(image[..., ::-1]))
        if result.boxes is None or result.txts is None:
            return []
        lines = []
        for corners, text, score in zip(result.boxes, result.txts, result.scores, strict=True):
            xs, ys = corners[:, 0], corners[:, 1]
            box = Box(float(xs.min()), float(ys.min()), float(xs.max()), float(ys.max()))
            lines.append(Line(box, widen_punctuation(str(text)), float(score)))
        return lines

    def read(self, image: Image) -> PageText:
        """Read a page or a crop."""
        return PageText(tuple(self.blocks(image, self.lines(image))), Size(image.shape[1], image.shape[0]))

    def blocks(self, image: Image, lines: list[Line]) -> list[Block]:
        """Group the lines of an image into blocks and tables."""
        if not lines:
            return []
        margin = crop_margin(image)  # so that a table border at the edge of a crop is detected as a line
        image, lines = add_margin(image, margin), [_shift_line(line, margin) for line in lines]
        height = typical_line_height(lines)
        rules = find_ruled_lines(image, height)
        tables = []
        for box in find_tables(lines, rules, height):
            inside = [line for line in lines if center_inside(line.box, box)]
            tables.append(Block(box, self._table(image, box, inside), "table"))
            lines = [line for line in lines if line not in inside]
        blocks = group_lines([*lines, *find_blanks(lines, rules.across)], GROUPING, tables)
        grey = cv2.cvtColor(image, cv2.COLOR_RGB2GRAY)
        boxes = [
            block.box if block.label == "table" else shrink_to_ink(block.box, grey, MAX_SHRINK * height)
            for block in blocks
        ]
        return [replace(block, box=_shift_box(box, -margin)) for block, box in zip(blocks, boxes, strict=True)]

    def _table(self, image: Image, box: Box, lines: list[Line]) -> str:
        """Return the HTML of a table, or its rows as lines of text without the table model."""
        if self.tables:
            return read_table(self.tables, image, box, lines, self._recognize_line)
        return "\n".join(join_lines([line.text for line in row]) for row in in_rows(lines))

    def _recognize_line(self, image: Image) -> str:
        """Recognise the text of an image of one line."""
        result = self._rapidocr.recognize_txt([np.ascontiguousarray(image[..., ::-1])])
        return widen_punctuation(str(result.txts[0]).strip())


def crop_margin(image: Image) -> int:
    """Margin in pixels to add: 0 for a page, `MARGIN` for a crop, whose text may touch the edge."""
    return MARGIN if min(image.shape[:2]) < CROP_SIDE else 0


def add_margin(image: Image, margin: int) -> Image:
    """Return an image with a margin in the median colour of its edge."""
    if not margin:
        return image
    edge = np.concatenate([image[0], image[-1], image[:, 0], image[:, -1]])
    height, width = image.shape[:2]
    wider = np.empty((height + 2 * margin, width + 2 * margin, 3), np.uint8)
    wider[:] = np.median(edge, axis=0).astype(np.uint8)
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


def _installed_engine() -> str:
    return next((name for name in ("openvino", "onnxruntime") if find_spec(name)), "")
