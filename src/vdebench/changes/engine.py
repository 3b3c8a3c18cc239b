"""The change engine: lists every change between two images of a page."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from vdebench.changes.alignment import AlignedPages
from vdebench.changes.change import Change, Geometry, PageChanges
from vdebench.changes.coarse import find_crop
from vdebench.changes.doubtful import doubtful_text
from vdebench.changes.glyphs import deformed_text
from vdebench.changes.illegible import group_illegible
from vdebench.changes.ink import ink_changes
from vdebench.changes.line_pairs import line_text
from vdebench.changes.registration import Registration, by_edges, from_lines, geometry_of, of_sparse_page, register
from vdebench.changes.style import restyled_text
from vdebench.changes.text_changes import compare_text, compare_text_anywhere
from vdebench.changes.type_heights import words_by_height
from vdebench.changes.unchanged_style import restyled_unchanged
from vdebench.changes.words import compared, count_words, tokens
from vdebench.core.box import Box, Size
from vdebench.core.images import Image
from vdebench.errors import VdeError
from vdebench.readers.reader import LikelihoodReader, Reader, ReadLines


@dataclass(frozen=True)
class PageComparison:
    """Two images of a page, what was read on them, where the page lies in the output, and the changes."""

    before: Image
    after: Image
    page: ReadLines
    output: ReadLines
    pages: AlignedPages | None
    """None if the output cannot be registered on the page."""
    result: PageChanges


def compare_pages(before: Image, after: Image, reader: Reader) -> PageChanges:
    """List every change between a page and another image of it."""
    return PageComparator(reader).compare(before, after).result


class PageComparator:
    """Compares images of pages with one reader."""

    def __init__(self, reader: Reader) -> None:
        if not isinstance(reader, LikelihoodReader):
            name = reader.identity.get("name", type(reader).__name__)
            raise VdeError(
                f"reader {name}: cannot tell how likely a text is on the image of a line, and the comparison of pages "
                "needs that; use --reader rapidocr"
            )
        self.reader = reader

    def compare(self, before: Image, after: Image) -> PageComparison:
        """Compare a page with another image of it."""
        sizes = Size(before.shape[1], before.shape[0]), Size(after.shape[1], after.shape[0])
        page = self.reader.page_lines(before)
        words = sum(count_words(line.text) for line in page.lines)
        if before.shape == after.shape and np.array_equal(before, after):
            pages = AlignedPages(before, after, np.array([[1.0, 0, 0], [0, 1, 0]]))
            geometry = Geometry("same", *sizes, matches=len(page.lines))
            unchanged = PageChanges(geometry, words=words, heights=words_by_height(before, page.lines, ()))
            return PageComparison(before, after, page, page, pages, unchanged)
        output = self.reader.page_lines(after)
        registration = register(before, after) or _register_by_lines(page, output, sizes)
        registration = registration or by_edges(before, after) or of_sparse_page(before, after)
        geometry = geometry_of(registration, *sizes)
        style: list[Change] = []
        if registration is None:
            text = compare_text_anywhere(before, after, page, output, self.reader)
            changes = text.changes
            aligned = None
            geometry = _rough_geometry(before, after, page) or geometry
        else:
            aligned = AlignedPages(before, after, registration.matrix)
            text = compare_text(aligned, page, output, self.reader)
            geometry = replace(geometry, cropped_words=text.cropped_words)
            style = [*restyled_text(aligned, text), *restyled_unchanged(aligned, text)]
            changes = [*text.changes, *style, *ink_changes(aligned, text)]
        changes, illegible = group_illegible(changes, page, output, aligned)
        if aligned is not None:  # after lines are called illegible: these read as before
            changes += [*deformed_text(aligned, text, style), *doubtful_text(aligned, text, output)]
        heights = words_by_height(before, page.lines, changes)
        result = PageChanges(geometry, tuple(changes), words, illegible, heights=heights)
        return PageComparison(before, after, page, output, aligned, result)


def _rough_geometry(before: Image, after: Image, page: ReadLines) -> Geometry | None:
    """Return the geometry of an output that shows a part of the page, with the number of words outside it."""
    geometry = find_crop(before, after)
    if geometry is None:
        return None
    left, top, right, bottom = geometry.visible.scaled(before.shape[1], before.shape[0])
    words = 0
    for line in page.lines:
        text = line_text(line)
        for token in tokens(text.text):
            start, end = text.span(token.start, token.stop)
            width = line.box.x2 - line.box.x1
            inside = line.box.x1 + start * width >= left and line.box.x1 + end * width <= right
            if not (inside and line.box.y1 >= top and line.box.y2 <= bottom):
                words += count_words(text.text[token.start : token.stop])
    return replace(geometry, cropped_words=words)


def _register_by_lines(page: ReadLines, output: ReadLines, sizes: tuple[Size, Size]) -> Registration | None:
    """Fit scale and shift to the lines that read alike and occur once on each image."""
    texts = [[compared(line.text).characters for line in side.lines] for side in (page, output)]
    places = [{text: at for at, text in enumerate(side) if side.count(text) == 1 and len(text) > 1} for side in texts]
    pairs: list[tuple[Box, Box]] = [
        (page.lines[places[0][text]].box, output.lines[places[1][text]].box) for text in places[0] if text in places[1]
    ]
    return from_lines(pairs, *sizes)
