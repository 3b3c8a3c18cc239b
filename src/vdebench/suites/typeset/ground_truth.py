"""Exact ground truth of a typeset page and its edit: text with boxes, edited regions, mask."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import combinations

import numpy as np

from vdebench.core.box import Box, Size
from vdebench.core.page_text import Block as TextBlock
from vdebench.core.page_text import PageText
from vdebench.suites.typeset.document import CELLS, Block, Chart, Document, Formula, Rule, Table, Text
from vdebench.suites.typeset.edits import DocumentEdit, EditPlace
from vdebench.suites.typeset.typesetter import Image, TypesetPage, role_of

LABELS = {
    "title": "doc_title",
    "masthead": "doc_title",
    "heading": "paragraph_title",
    "headline": "paragraph_title",
    "abstract": "abstract",
    "caption": "figure_title",
    "table_title": "figure_title",
    "header": "header",
    "footer": "footer",
    "number": "number",
    "footnote": "footnote",
    "reference": "reference_content",
    "table": "table",
    "chart": "chart",
    "formula": "formula",
}
"""Labels of OCR engines for our roles; other roles have the label `text`."""
_STROKE = 1.5
"""Distance in points by which rules and bars extend beyond a block's box."""


def page_text_of(document: Document, page: TypesetPage) -> PageText:
    """Return the exact text of a page."""
    blocks: list[TextBlock] = []
    for block in document.blocks:
        for label, content, box, lines in _pieces(block, page):
            index = len(blocks)
            extra = {"lines": [_whole(line) for line in lines]}
            blocks.append(TextBlock(Box(*_whole(box)), content, label, index, index, extra))
    return PageText(tuple(blocks), page.size)


def _pieces(block: Block, page: TypesetPage) -> Iterator[tuple[str, str, Box, list[Box]]]:
    number = block.id * CELLS
    label = LABELS.get(role_of(block), "text")
    match block:
        case Text():
            lines = lines_of(page, number)
            yield label, block.text, Box.around(lines), lines
        case Table():
            cells = [page.marks.get(number + index) for index in range(1, len(block.cells) + 1)]
            yield label, block.html, box_of(page, block), [Box.around(cell.ink) for cell in cells if cell and cell.ink]
        case Chart():
            yield label, "\n".join(_labels_in_reading_order(block, page)), box_of(page, block), []
        case Formula():
            yield label, block.latex, box_of(page, block), []
            if block.number:
                ink = page.marks[number + 1].ink
                yield "formula_number", block.number, Box.around(ink), []
        case Rule():
            pass


def _labels_in_reading_order(chart: Chart, page: TypesetPage) -> list[str]:
    """Return a chart's labels row by row, in reading order."""
    places = [Box.around(page.marks[chart.id * CELLS + index].ink) for index in range(1, len(chart.labels) + 1)]
    rows: list[list[tuple[Box, str]]] = []
    for place, label in sorted(zip(places, chart.labels, strict=True), key=lambda pair: pair[0].y1 + pair[0].y2):
        if rows and (place.y1 + place.y2) / 2 < rows[-1][0][0].y2:
            rows[-1].append((place, label))
        else:
            rows.append([(place, label)])
    return [label for row in rows for _, label in sorted(row, key=lambda pair: pair[0].x1)]


def box_of(page: TypesetPage, block: Block) -> Box:
    """Return the box of a block: the ink of text and formulas, the frame of tables and charts."""
    number = block.id * CELLS
    mark = page.marks[number]
    if isinstance(block, Text | Formula):
        return Box.around(mark.ink)
    return mark.box


def lines_of(page: TypesetPage, number: int) -> list[Box]:
    """Return the ink box of each line of a piece."""
    lines: list[Box] = []
    inks = page.marks[number].ink
    for index, ink in enumerate(inks):
        if _begins_line(inks, index):
            lines.append(ink)
        else:
            lines[-1] = Box.around([lines[-1], ink])
    return lines


def _begins_line(inks: list[Box], index: int) -> bool:
    """Whether a text run starts a new line: it is left of the previous run, or not beside it."""
    if index == 0:
        return True
    before, ink = inks[index - 1], inks[index]
    return ink.x1 < before.x1 or min(ink.y2, before.y2) <= max(ink.y1, before.y1)


def is_legible(document: Document, page: TypesetPage) -> bool:
    """Whether no cell or label overlaps another or extends beyond its table or chart."""
    for block in document.blocks:
        if isinstance(block, Table | Chart):
            count = len(block.cells if isinstance(block, Table) else block.labels)
            marks = (page.marks.get(block.id * CELLS + index) for index in range(1, count + 1))
            inks = [Box.around(mark.ink) for mark in marks if mark and mark.ink]
            frame = page.marks[block.id * CELLS].box
            if any(ink.x1 < frame.x1 or ink.x2 > frame.x2 for ink in inks):
                return False
            if any(one.shared_area(other) > 0 for one, other in combinations(inks, 2)):
                return False
    return True


def tight_boxes(document: Document, page: TypesetPage, places: list[EditPlace]) -> list[Box]:
    """Return boxes of the edited text alone, one per line."""
    boxes: list[Box] = []
    for place in places:
        if place.end is None:
            boxes += lines_of(page, place.number)
        else:
            block = document.block(place.number // CELLS)
            assert isinstance(block, Text)
            boxes += page.part(place.number, block.text, place.start, place.end)
    return [Box(*_whole(box)) for box in boxes]


def changed_boxes(
    edit: DocumentEdit, before: tuple[Document, TypesetPage], after: tuple[Document, TypesetPage]
) -> list[Box]:
    """Return boxes of the blocks that an edit changes, before and after; overlapping ones are joined."""
    boxes = []
    sources, targets = edit.places(before[0], after[0])
    for (document, page), places in ((before, sources), (after, targets)):
        numbers = dict.fromkeys(place.number // CELLS for place in places)
        boxes += [box_of(page, document.block(number)) for number in numbers]
    if not sources and edit.action != "insert_block":  # the block existed before and has grown
        boxes.append(box_of(before[1], before[0].block(edit.block)))
    if not targets and edit.action != "delete_block":
        boxes.append(box_of(after[1], after[0].block(edit.block)))
    if len(boxes) == 2 and boxes[0].shared_area(boxes[1]) > 0:
        boxes = [Box.around(boxes)]
    return [Box(*_whole(box)) for box in boxes]


def mask_of(before: tuple[Document, TypesetPage], after: tuple[Document, TypesetPage]) -> Image:
    """Return a mask that is white where pixels may differ: blocks that were edited or moved, before and after."""
    size = before[1].size
    mask = np.zeros((int(size.height), int(size.width)), np.uint8)
    for (document, page), (other, other_page) in ((before, after), (after, before)):
        other_blocks = {block.id: block for block in other.blocks}
        for block in document.blocks:
            same = other_blocks.get(block.id) == block
            if not same or page.marks[block.id * CELLS].box != other_page.marks[block.id * CELLS].box:
                _paint(mask, block, page)
    return mask


def moved_blocks(edit: DocumentEdit, before: tuple[Document, TypesetPage], after: tuple[Document, TypesetPage]) -> int:
    """Return the number of blocks other than the edited one that moved."""
    return sum(
        before[1].marks[block.id * CELLS].box != after[1].marks[block.id * CELLS].box
        for block in before[0].blocks
        if block.id != edit.block and block.id * CELLS in after[1].marks
    )


def _paint(mask: Image, block: Block, page: TypesetPage) -> None:
    inside = [ink for number, mark in page.marks.items() if number // CELLS == block.id for ink in mark.ink]
    box = Box.around([page.marks[block.id * CELLS].box, *inside])
    margin = math.ceil(_STROKE * page.scale) + 2
    x1, y1, x2, y2 = _whole(Box(box.x1 - margin, box.y1 - margin, box.x2 + margin, box.y2 + margin))
    mask[max(0, y1) : max(0, y2), max(0, x1) : max(0, x2)] = 255


def crop_text(document: Document, page: TypesetPage, region: Box) -> PageText:
    """Return the text of a crop: blocks that are completely inside, else their lines or cells inside."""
    blocks: list[TextBlock] = []
    for block in document.blocks:
        for label, content, box, lines in _pieces(block, page):
            inside = [_centre_inside(line, region) for line in lines or [box]]
            if not any(inside):
                continue
            if not all(inside):
                label, content, box = (
                    "text",
                    _text_inside(block, page, inside),
                    Box.around(line for line, within in zip(lines, inside, strict=True) if within),
                )
            clipped = [max(box.x1, region.x1), max(box.y1, region.y1), min(box.x2, region.x2), min(box.y2, region.y2)]
            x1, y1, x2, y2 = _whole(Box(*clipped))
            place = Box(x1 - region.x1, y1 - region.y1, x2 - region.x1, y2 - region.y1)
            blocks.append(TextBlock(place, content, label, len(blocks), len(blocks)))
    return PageText(tuple(blocks), Size(region.x2 - region.x1, region.y2 - region.y1))


def _text_inside(block: Block, page: TypesetPage, inside: list[bool]) -> str:
    """Return the text of the lines of a block, or of the non-empty cells of a table, that are inside."""
    if isinstance(block, Table):
        texts = [cell.text for cell in block.ordered if cell.text]
        return " ".join(text for text, within in zip(texts, inside, strict=True) if within)
    assert isinstance(block, Text)
    number, line, kept = block.id * CELLS, -1, list[int]()
    for index, places in enumerate(page.letter_indices(number, block.text)):
        line += _begins_line(page.marks[number].ink, index)
        kept += places if inside[line] else []
    runs = "".join(
        ("" if index == 0 or kept[index - 1] + 1 == at or block.text[at - 1] != " " else " ") + block.text[at]
        for index, at in enumerate(kept)
    )
    return runs.strip()


def _centre_inside(box: Box, region: Box) -> bool:
    x, y = (box.x1 + box.x2) / 2, (box.y1 + box.y2) / 2
    return region.x1 <= x <= region.x2 and region.y1 <= y <= region.y2


def _whole(box: Box) -> list[int]:
    """Round the box outwards to whole pixels."""
    return [math.floor(box.x1), math.floor(box.y1), math.ceil(box.x2), math.ceil(box.y2)]
