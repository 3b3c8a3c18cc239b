"""The typesetter: renders a document with Typst and pdfium and locates every line.

One compilation per page. Invisible boxes in the PDF, numbered by their colour, identify the pieces (see `page.typ`).
Only files change between compilations, not the compiler's inputs: Typst then caches the layout of unchanged paragraphs.
"""

from __future__ import annotations

import ctypes
import json
import os
import shutil
import tempfile
import weakref
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
import pypdfium2 as pdfium
import pypdfium2.raw as raw
import typst
from numpy.typing import NDArray

from vdebench.core.box import Box, Size
from vdebench.suites.typeset.document import (
    CELLS,
    Area,
    Block,
    BlockStyle,
    Chart,
    Document,
    Formula,
    Rule,
    Table,
    Text,
)
from vdebench.suites.typeset.letters import PdfLetters

Image = NDArray[np.uint8]
_MARK_BLUE = 7
_FOLDER = "vde-typesetter-"
_NO_HEIGHTS: Mapping[Block, float] = {}
_STYLE_FIELDS = [field.name for field in fields(BlockStyle)]
_KEPT_WITH_NEXT = ("heading", "headline", "table_title", "chart")


@dataclass(slots=True)
class PieceMark:
    """Position of a numbered piece in pixels: its layout box, and the ink of each text run."""

    box: Box
    ink: list[Box] = field(default_factory=list)
    objects: list[Any] = field(default_factory=list)


class TypesetPage:
    """A typeset page."""

    def __init__(self, pdf: bytes, ppi: float) -> None:
        self._pdf = pdfium.PdfDocument(pdf)
        self._page = self._pdf[0]
        self.scale = ppi / 72
        width, height = self._page.get_size()
        self._height = height
        self.size = Size(round(width * self.scale), round(height * self.scale))
        self.marks = self._marks()

    def close(self) -> None:
        """Free the page's memory; pixels and letters are not available afterwards."""
        for mark in self.marks.values():
            mark.objects.clear()
        self._pdf.close()

    @property
    def present(self) -> set[int]:
        """Ids of the blocks that fit on the page."""
        return {number // CELLS for number in self.marks}

    def heights(self, document: Document) -> dict[Block, float]:
        """Return the heights of the document's blocks in points, rounded to quarters as in `page.typ`."""
        boxes = {block: self.marks[block.id * CELLS].box for block in document.blocks}
        return {block: round((box.y2 - box.y1) / self.scale * 4) / 4 for block, box in boxes.items()}

    def _marks(self) -> dict[int, PieceMark]:
        marks: dict[int, PieceMark] = {}
        current: PieceMark | None = None
        red, green, blue, alpha = (ctypes.c_uint() for _ in range(4))
        page = self._page.raw
        for index in range(raw.FPDFPage_CountObjects(page)):
            item = raw.FPDFPage_GetObject(page, index)
            kind = raw.FPDFPageObj_GetType(item)
            if kind == raw.FPDF_PAGEOBJ_PATH:
                raw.FPDFPageObj_GetFillColor(item, red, green, blue, alpha)
                if alpha.value == 0 and blue.value == _MARK_BLUE:
                    current = marks[red.value + 256 * green.value] = PieceMark(self._bounds(item))
            elif kind == raw.FPDF_PAGEOBJ_TEXT and current is not None:
                ink = self._bounds(item)
                if ink.area > 0:  # some contain only spaces
                    current.ink.append(ink)
                    current.objects.append(item)
        return marks

    def _bounds(self, item: Any) -> Box:
        sides = [ctypes.c_float() for _ in range(4)]
        raw.FPDFPageObj_GetBounds(item, *sides)
        return self._in_pixels(*(side.value for side in sides))

    def _in_pixels(self, left: float, bottom: float, right: float, top: float) -> Box:
        scale = self.scale
        return Box(left * scale, (self._height - top) * scale, right * scale, (self._height - bottom) * scale)

    def image(self) -> Image:
        """Render the page as RGB, directly into a NumPy array."""
        width, height = int(self.size.width), int(self.size.height)
        stride = (3 * width + 3) // 4 * 4
        rows = np.full((height, stride), 255, np.uint8)
        place = rows.ctypes.data_as(ctypes.c_void_p)
        bitmap = raw.FPDFBitmap_CreateEx(width, height, raw.FPDFBitmap_BGR, place, stride)
        try:
            flags = raw.FPDF_REVERSE_BYTE_ORDER
            raw.FPDF_RenderPageBitmap(bitmap, self._page.raw, 0, 0, width, height, 0, flags)
        finally:
            raw.FPDFBitmap_Destroy(bitmap)
        return np.ascontiguousarray(rows[:, : 3 * width]).reshape(height, width, 3)

    @cached_property
    def _letters(self) -> PdfLetters:
        return PdfLetters(self._page)

    def run_texts(self, number: int) -> list[str]:
        """Return the text of each run of a piece, as in the PDF."""
        return [self._letters.text(item) for item in self.marks[number].objects]

    def letter_indices(self, number: int, text: str) -> list[list[int]]:
        """Return, for each run of a piece, the index in `text` of each printed letter."""
        runs, at = [], 0
        for run in self.run_texts(number):
            places = []
            for letter in run:
                while letter != text[at]:  # spaces at line ends are not printed
                    at += 1
                places.append(at)
                at += 1
            runs.append(places)
        return runs

    def part(self, number: int, text: str, start: int, end: int) -> list[Box]:
        """Return the ink of a range of a piece's text, one box per run."""
        mark, boxes = self.marks[number], []
        for item, places in zip(mark.objects, self.letter_indices(number, text), strict=True):
            letters = [
                self._in_pixels(*self._letters.bounds(item, index))
                for index, place in enumerate(places)
                if start <= place < end and not text[place].isspace()
            ]
            ink = [box for box in letters if box.area > 0]
            if ink:
                boxes.append(Box.around(ink))
        return boxes


class Typesetter:
    """A Typst compiler with its own temporary folder, kept between pages."""

    def __init__(self, ppi: float, font_folders: Sequence[Path]) -> None:
        self.ppi = ppi
        _remove_stale_folders()
        root = Path(tempfile.mkdtemp(prefix=f"{_FOLDER}{os.getpid()}-"))
        weakref.finalize(self, shutil.rmtree, root, ignore_errors=True)
        (root / "page.typ").write_text((resources.files(__package__) / "page.typ").read_text("utf-8"), "utf-8")
        self._data = root / "page.json"
        self._compiler = typst.Compiler(
            str(root / "page.typ"), font_paths=[str(folder) for folder in font_folders], ignore_system_fonts=True
        )

    def print(
        self, document: Document, reserve: float = 0, heights: Mapping[Block, float] = _NO_HEIGHTS
    ) -> TypesetPage:
        """Typeset a document.

        `reserve` points stay free at the end of each area, for edits to grow into. `heights` are known block heights
        (of another page), which then need not be measured again.
        """
        page = page_of(document, reserve, heights)
        self._data.write_text(json.dumps(page, ensure_ascii=False), "utf-8")
        pdf = self._compiler.compile(format="pdf")
        assert isinstance(pdf, bytes)
        return TypesetPage(pdf, self.ppi)


def _remove_stale_folders() -> None:
    """Delete temporary folders of processes that were killed."""
    for folder in Path(tempfile.gettempdir()).glob(f"{_FOLDER}*"):
        owner = folder.name.removeprefix(_FOLDER).partition("-")[0]
        if owner.isdigit() and Path("/proc/self").exists() and not Path("/proc", owner).exists():
            shutil.rmtree(folder, ignore_errors=True)


def page_of(document: Document, reserve: float = 0, heights: Mapping[Block, float] = _NO_HEIGHTS) -> dict[str, Any]:
    """Return the document as the JSON that `page.typ` reads."""
    return {
        "width": document.width,
        "height": document.height,
        "paper": document.paper,
        "lang": document.lang,
        "rtl": document.rtl,
        "reserve": reserve,
        "fonts": dict(document.fonts),
        "looks": {
            role: {name: getattr(style, name) for name in _STYLE_FIELDS} for role, style in document.styles.items()
        },
        "decor": [decor._asdict() for decor in document.decor],
        "areas": [_area(document, area, heights) for area in document.areas],
    }


def _area(document: Document, area: Area, heights: Mapping[Block, float]) -> dict[str, Any]:
    parts = {
        name: [_block(document, block, heights.get(block)) for block in blocks]
        for name, blocks in (("head", area.head), ("body", area.body), ("foot", area.foot))
    }
    place = {name: getattr(area, name) for name in ("x", "y", "width", "height", "columns", "gutter")}
    return place | parts


def role_of(block: Block) -> str:
    """Return the role whose style a block uses."""
    return block.role if isinstance(block, Text) else type(block).__name__.lower()


def _block(document: Document, block: Block, height: float | None) -> dict[str, Any]:
    role = role_of(block)
    style = document.styles[role]
    number = block.id * CELLS
    keep = role in _KEPT_WITH_NEXT
    common = {"n": number, "look": role, "above": style.above, "below": style.below, "keep": keep} | {"height": height}
    match block:
        case Text():
            spans = [[span.text, span.style.to_json()] for span in block.spans]
            return common | {"type": "text", "align": block.align, "spans": spans}
        case Table():
            cells = [
                {
                    "n": number + index,
                    "x": cell.column,
                    "y": cell.row,
                    "colspan": cell.colspan,
                    "rowspan": cell.rowspan,
                    "text": cell.text,
                }
                for index, cell in _numbered(block.ordered)
            ]
            size = {"widths": block.widths, "head": block.head, "rows": block.height}
            return common | {"type": "table", "cells": cells} | size
        case Chart():
            labels = [[number + index, label] for index, label in _numbered(block.labels)]
            shape = {"kind": block.kind, "values": block.values, "tall": block.height}
            return common | {"type": "chart", "labels": labels} | shape
        case Formula():
            side = [number + 1, block.number] if block.number else None
            return common | {"type": "formula", "source": block.source, "number": side}
        case Rule():
            return common | {"type": "rule", "weight": block.weight}


def _numbered(parts: Sequence[Any]) -> Iterator[tuple[int, Any]]:
    return enumerate(parts, start=1)
