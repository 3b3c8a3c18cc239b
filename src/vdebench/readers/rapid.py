"""The embedded reader: RapidOCR with the PP-OCR models inside its package, on OpenVINO or ONNX Runtime."""

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
from vdebench.readers.line_grouping import GROUPING, Line, blocks_of, in_rows, middle_in, usual_height
from vdebench.readers.line_text import join_lines, wide_marks
from vdebench.readers.reader import Reader, code_of
from vdebench.readers.ruled_lines import FINDING, blanks_of, find_tables, rules_of
from vdebench.readers.tables import MARGINS, TableModel, read_table
from vdebench.registry import installed_version

INSTALL = "pip install rapidocr openvino   (or onnxruntime in the place of openvino)"

SMALL = 736
"""Images narrower or lower than this, in pixels, get a margin;"""
MARGIN = 32
"""how wide it is."""
LEAST = 320
"""Pixels of the shorter side to which the engine enlarges an image before it looks for lines: not 736, its own choice,
which makes of the crop of one line a picture larger than a page."""
TIGHTER = 0.35
"""Heights of a line by which a block's box is drawn in to its ink, at most."""
_INK = 40
"""Grey levels by which ink differs from paper."""


class RapidReader(Reader):
    """Lines by RapidOCR, grouped into blocks by where they stand; tables as HTML, or as rows without their model."""

    def __init__(self, threads: int | str = 0, tables: bool | str = True) -> None:
        lacks = self.missing()
        if lacks:
            raise MissingPartError(lacks)
        if not str(threads).isdigit() or str(tables).lower() not in ("true", "false"):
            raise VdeError(
                f"rapidocr: threads={threads!r}, tables={tables!r}: expected a number (0: as many as there are "
                "processors, or OMP_NUM_THREADS), and true or false"
            )
        self.engine = _engine()
        self.threads = int(threads) or int(os.environ.get("OMP_NUM_THREADS") or 0)
        wanted = str(tables).lower() == "true" and not TableModel.missing()
        self.tables = TableModel(self.threads) if wanted else None

    @classmethod
    def missing(cls, **options: Any) -> str:
        """What lacks for reading, and how to install it; nothing where all is there."""
        if not installed_version("rapidocr"):
            return f"the reader rapidocr is not installed\n  {INSTALL}"
        return "" if _engine() else f"rapidocr has no engine to run on\n  {INSTALL}"

    @property
    def caveat(self) -> str:
        """That tables are not read as tables, where their model is absent."""
        return (
            ""
            if self.tables
            else "tables are read as rows of text, so TEDS is low: `vde doctor` says how to get their model"
        )

    @property
    def identity(self) -> Mapping[str, str]:
        """Name, versions, grouping, and whether tables are read."""
        return {
            "name": "rapidocr",
            "version": installed_version("rapidocr"),
            "engine": f"{self.engine} {version(self.engine)}",
            "image": f"margin {MARGIN} below {SMALL}, least {LEAST}, tighter {TIGHTER:g}",
            "blocks": GROUPING.identity,
            "rules": f"rules-1:{_told(FINDING)} {code_of('rapid', 'ruled_lines', 'tables')}",
            "tables": f"{self.tables.identity}, margins {_told(MARGINS)}" if self.tables else "rows of text",
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
            "Global.use_cls": False,  # pages stand upright; the classifier turns lines that do
            "Det.engine_type": engine,
            "Det.limit_side_len": LEAST,
            "Rec.engine_type": engine,
            f"EngineConfig.{self.engine}.{key}": threads,
            # Else two processes of one thread each are bound to one processor.
            **({"EngineConfig.openvino.enable_cpu_pinning": False} if self.engine == "openvino" else {}),
        }
        return RapidOCR(params=parameters)

    def lines(self, image: Image) -> list[Line]:
        """Lines of a page or a crop as the engine reads them."""
        margin = margin_of(image)
        return [_moved(line, -margin) for line in self._lines(with_margin(image, margin))]

    def _lines(self, image: Image) -> list[Line]:
        found = self._rapidocr(np.ascontiguousarray(image[..., ::-1]))
        if found.boxes is None or found.txts is None:
            return []
        lines = []
        for corners, text, score in zip(found.boxes, found.txts, found.scores, strict=True):
            xs, ys = corners[:, 0], corners[:, 1]
            box = Box(float(xs.min()), float(ys.min()), float(xs.max()), float(ys.max()))
            lines.append(Line(box, wide_marks(str(text)), float(score)))
        return lines

    def read(self, image: Image) -> PageText:
        """Blocks of a page."""
        return PageText(tuple(self.blocks(image, self.lines(image))), Size(image.shape[1], image.shape[0]))

    def blocks(self, image: Image, lines: list[Line]) -> list[Block]:
        """Blocks of a page whose lines are known."""
        if not lines:
            return []
        margin = margin_of(image)  # so that a table's side is a rule at the edge of a crop too
        image, lines = with_margin(image, margin), [_moved(line, margin) for line in lines]
        height = usual_height(lines)
        rules = rules_of(image, height)
        tables = []
        for box in find_tables(lines, rules, height):
            inside = [line for line in lines if middle_in(line.box, box)]
            tables.append(Block(box, self._table(image, box, inside), "table"))
            lines = [line for line in lines if line not in inside]
        blocks = blocks_of([*lines, *blanks_of(lines, rules.across)], GROUPING, tables)
        grey = cv2.cvtColor(image, cv2.COLOR_RGB2GRAY)
        boxes = [
            block.box if block.label == "table" else box_of_ink(block.box, grey, TIGHTER * height) for block in blocks
        ]
        return [replace(block, box=_shifted(box, -margin)) for block, box in zip(blocks, boxes, strict=True)]

    def _table(self, image: Image, box: Box, lines: list[Line]) -> str:
        """HTML of a table, or its rows as lines of text where there is no model."""
        if self.tables:
            return read_table(self.tables, image, box, lines, self._reread)
        return "\n".join(join_lines([line.text for line in row]) for row in in_rows(lines))

    def _reread(self, image: Image) -> str:
        """The text of a picture of one line."""
        found = self._rapidocr.recognize_txt([np.ascontiguousarray(image[..., ::-1])])
        return wide_marks(str(found.txts[0]).strip())


def margin_of(image: Image) -> int:
    """Pixels to put around an image: none around a page, some around a crop, whose text may touch the edge."""
    return MARGIN if min(image.shape[:2]) < SMALL else 0


def with_margin(image: Image, margin: int) -> Image:
    """An image with a margin in the colour of most of its edge."""
    if not margin:
        return image
    edge = np.concatenate([image[0], image[-1], image[:, 0], image[:, -1]])
    height, width = image.shape[:2]
    wider = np.empty((height + 2 * margin, width + 2 * margin, 3), np.uint8)
    wider[:] = np.median(edge, axis=0).astype(np.uint8)
    wider[margin:-margin, margin:-margin] = image
    return wider


def box_of_ink(box: Box, grey: Any, most: float) -> Box:
    """A box drawn in to the ink it holds, on each side by a distance at most: engines give lines some air."""
    x1, y1, x2, y2 = (max(0, round(side)) for side in box)
    part = grey[y1:y2, x1:x2].astype(np.int16)
    if not part.size:
        return box
    ink = np.abs(part - int(np.median(part))) > _INK
    down, across = np.flatnonzero(ink.any(axis=1)), np.flatnonzero(ink.any(axis=0))
    if not len(down):
        return box
    air = across[0], down[0], ink.shape[1] - 1 - across[-1], ink.shape[0] - 1 - down[-1]
    left, top, right, bottom = (float(min(each, int(most))) for each in air)
    return Box(box.x1 + left, box.y1 + top, box.x2 - right, box.y2 - bottom)


def _moved(line: Line, by: float) -> Line:
    return line._replace(box=_shifted(line.box, by))


def _shifted(box: Box, by: float) -> Box:
    return Box(*(side + by for side in box)) if by else box


def _told(values: Iterable[float]) -> str:
    return ",".join(f"{value:g}" for value in values)


def _engine() -> str:
    return next((name for name in ("openvino", "onnxruntime") if find_spec(name)), "")
