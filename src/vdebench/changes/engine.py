"""The change engine: lists every change between two images of a page."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from vdebench.changes.alignment import AlignedPages
from vdebench.changes.change import Geometry, PageChanges
from vdebench.changes.registration import Registration, from_lines, geometry_of, register
from vdebench.changes.text_changes import compare_text, compare_text_anywhere
from vdebench.changes.words import compared, count_words
from vdebench.core.box import Box, Size
from vdebench.core.images import Image
from vdebench.readers.reader import LikelihoodReader, Reader, ReadLines


def compare_pages(before: Image, after: Image, reader: Reader) -> PageChanges:
    """List every change between a page and another image of it."""
    sizes = Size(before.shape[1], before.shape[0]), Size(after.shape[1], after.shape[0])
    if before.shape == after.shape and np.array_equal(before, after):
        return PageChanges(Geometry("same", *sizes, matches=1))
    assert isinstance(reader, LikelihoodReader)
    page, output = reader.page_lines(before), reader.page_lines(after)
    registration = register(before, after) or _register_by_lines(page, output, sizes)
    geometry = geometry_of(registration, *sizes)
    words = sum(count_words(line.text) for line in page.lines)
    if registration is None:
        text = compare_text_anywhere(before, after, page, output, reader)
        return PageChanges(geometry, tuple(text.changes), words, text.illegible_words)
    pages = AlignedPages(before, after, registration.matrix)
    text = compare_text(pages, page, output, reader)
    geometry = replace(geometry, cropped_words=text.cropped_words)
    return PageChanges(geometry, tuple(text.changes), words, text.illegible_words)


def _register_by_lines(page: ReadLines, output: ReadLines, sizes: tuple[Size, Size]) -> Registration | None:
    """Fit scale and shift to the lines that read alike and occur once on each image."""
    texts = [[compared(line.text).characters for line in side.lines] for side in (page, output)]
    places = [{text: at for at, text in enumerate(side) if side.count(text) == 1 and len(text) > 1} for side in texts]
    pairs: list[tuple[Box, Box]] = [
        (page.lines[places[0][text]].box, output.lines[places[1][text]].box) for text in places[0] if text in places[1]
    ]
    return from_lines(pairs, *sizes)
